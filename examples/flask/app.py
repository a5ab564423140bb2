import os

import jobstrand
from flask import Flask, request
from sqlalchemy import create_engine, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, sessionmaker

engine = create_engine(f"sqlite:///{os.environ.get('DATABASE_FILE', 'jobs.db')}", connect_args={"timeout": 30})
sessions = sessionmaker(engine)


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    item: Mapped[str]


Base.metadata.create_all(engine)
app = Flask(__name__)


@app.get("/orders")
def count():
    with sessions() as session:
        return {"orders": session.scalar(select(func.count()).select_from(Order))}


@app.post("/orders")
def add():
    with sessions.begin() as session:  # The order and its job are there when this ends, or neither.
        order = Order(item=request.form["item"])
        session.add(order)
        session.flush()
        jobstrand.enqueue(session, jobstrand.NewJob("mail", {"order": order.id}, external=True, retry_cycle="R5/PT1M"))
        if order.item == "nothing":
            raise ValueError("nobody can buy that")
        return {"order": order.id}, 201
