class CreateOrders < ActiveRecord::Migration[6.1]
  def change
    create_table :orders do |table|
      table.string :item, null: false
    end
  end
end
