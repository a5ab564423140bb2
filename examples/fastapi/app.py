import os
from contextlib import asynccontextmanager

import jobstrand.aio
from fastapi import FastAPI, HTTPException
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

engine = create_async_engine(f"sqlite+aiosqlite:///{os.environ.get('DATABASE_FILE', 'jobs.db')}", connect_args={"timeout": 30})
sessions = async_sessionmaker(engine)


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    item: Mapped[str]


@asynccontextmanager
async def lifespan(_: FastAPI):
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    yield
    await engine.dispose()


app = FastAPI(lifespan=lifespan)


@app.get("/orders")
async def count() -> dict[str, int]:
    async with sessions() as session:
        return {"orders": await session.scalar(select(func.count()).select_from(Order)) or 0}


@app.post("/orders", status_code=201)
async def add(item: str) -> dict[str, int]:
    async with sessions.begin() as session:  # The order and its job are there when this ends, or neither.
        order = Order(item=item)
        session.add(order)
        await session.flush()
        await jobstrand.aio.enqueue(session, jobstrand.NewJob("mail", {"order": order.id}, external=True, retry_cycle="R5/PT1M"))
        if item == "nothing":
            raise HTTPException(422, "nobody can buy that")
        return {"order": order.id}
