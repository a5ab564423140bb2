class MailJob < ActiveJob::Base
  retry_on IOError, attempts: 5, wait: 60

  def perform(order)
    puts "mail for order #{order.id}: #{order.item}"
    $stdout.flush
  end
end
