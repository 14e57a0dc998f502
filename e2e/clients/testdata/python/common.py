"""What the operations of all clients have in common: the questions, the tool, the shape of a structured answer."""

import os

from pydantic import BaseModel

base = os.environ["OHMROUTE_BASE"]
question = "How is the weather in Paris and in Rome?"


class City(BaseModel):
    city: str
    population: float


tool = "get_weather"
description = "Tells the weather of a city."
schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}

# A picture of one pixel.
pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
picture = "data:image/png;base64," + pixel


def weather(arguments):
    return f"Sunny in {arguments['city']}"


def user(content):
    return [{"role": "user", "content": content}]
