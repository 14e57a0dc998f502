"""pip anthropic"""

from anthropic import AsyncAnthropic
from common import City, base, description, pixel, question, schema, tool, user, weather

tools = [{"name": tool, "description": description, "input_schema": schema}]


def connect(key):
    return AsyncAnthropic(base_url=base, api_key=key)


def code(error):
    body = getattr(error, "body", None)
    return body["error"]["type"] if isinstance(body, dict) and isinstance(body.get("error"), dict) else None


def text_of(message):
    return "".join(b.text for b in message.content if b.type == "text")


def counts(message):
    return {"input": message.usage.input_tokens, "output": message.usage.output_tokens}


async def loop(model, ask):
    """Asks until the model calls no tool any more."""
    messages, called = user(question), []
    while True:
        message = await ask(model=model, max_tokens=500, messages=messages, tools=tools)
        uses = [b for b in message.content if b.type == "tool_use"]
        if not uses:
            return {"text": text_of(message), "tools": called, "finish": message.stop_reason}
        called += [{"name": u.name, "arguments": u.input} for u in uses]
        messages.append({"role": "assistant", "content": message.content})
        messages += user([{"type": "tool_result", "tool_use_id": u.id, "content": weather(u.input)} for u in uses])


def operations(api):
    async def text(key, model, _):
        message = await api(key).create(model=model, max_tokens=500, messages=user("Say hello."))
        return {"text": text_of(message), **counts(message)}

    async def stream(key, model, progress):
        async with api(key).stream(model=model, max_tokens=500, messages=user("Say hello.")) as events:
            async for piece in events.text_stream:
                progress(piece)
            message = await events.get_final_message()
        return {"text": text_of(message), "finish": message.stop_reason, **counts(message)}

    async def whole(key, model, _):
        return await loop(model, api(key).create)

    async def streamed(key, model, _):
        async def ask(**body):
            async with api(key).stream(**body) as events:
                return await events.get_final_message()

        return await loop(model, ask)

    async def parsed(key, model, _):
        message = await api(key).parse(model=model, max_tokens=500, messages=user("Which city?"), output_format=City)
        return {"object": message.parsed_output.model_dump()}

    async def vision(key, model, _):
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": pixel}}
        content = [image, {"type": "text", "text": "What is this?"}]
        return {"text": text_of(await api(key).create(model=model, max_tokens=500, messages=user(content)))}

    async def count(key, model, _):
        return {"input": (await api(key).count_tokens(model=model, messages=user("Say hello."))).input_tokens}

    return {
        "text": text, "stream": stream, "tools": whole, "toolsStream": streamed, "object": parsed, "vision": vision, "count": count,
    }


async def models_list(key, model, _):
    return {"ids": [m.id async for m in connect(key).models.list()]}


async def models_get(key, model, _):
    return {"ids": [(await connect(key).models.retrieve(model)).id]}


endpoints = {
    "messages": operations(lambda key: connect(key).messages),
    "beta": operations(lambda key: connect(key).beta.messages),
    "models": {"list": models_list, "get": models_get},
}
