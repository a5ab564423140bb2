class OrdersController < ActionController::API
  def index
    render json: { orders: Order.count }
  end

  def create
    order = Order.transaction do # The order and its job are there when this ends, or neither.
      Order.create!(item: params[:item]).tap do |one|
        MailJob.perform_later(one)
        raise "nobody can buy that" if one.item == "nothing"
      end
    end
    render json: { order: order.id }, status: :created
  end
end
