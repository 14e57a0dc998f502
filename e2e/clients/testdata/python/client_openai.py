"""pip openai"""

import json

from common import City, base, description, picture, question, schema, tool, user, weather
from openai import AsyncOpenAI


def connect(key):
    return AsyncOpenAI(base_url=base + "/v1", api_key=key)


def code(error):
    return getattr(error, "code", None)


def chat_usage(done):
    return {"input": done.usage.prompt_tokens, "output": done.usage.completion_tokens} if done.usage else {}


def responses_usage(done):
    return {"input": done.usage.input_tokens, "output": done.usage.output_tokens} if done.usage else {}


chat_tools = [{"type": "function", "function": {"name": tool, "description": description, "strict": True, "parameters": schema}}]


async def chat_loop(model, ask):
    """Asks until the model calls no tool any more."""
    messages, tools = user(question), []
    while True:
        message = (await ask(model=model, messages=messages, tools=chat_tools, parallel_tool_calls=True)).choices[0].message
        if not message.tool_calls:
            return {"text": message.content, "tools": tools}
        messages.append(message.model_dump(exclude_unset=True, exclude={"parsed": True, "tool_calls": {"__all__": {"function": {"parsed_arguments"}}}}))
        for call in message.tool_calls:
            arguments = json.loads(call.function.arguments)
            tools.append({"name": call.function.name, "arguments": arguments})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": weather(arguments)})


async def chat_text(key, model, _):
    done = await connect(key).chat.completions.create(model=model, messages=user("Say hello."))
    return {"text": done.choices[0].message.content, **chat_usage(done)}


async def chat_stream(key, model, progress):
    options = {"include_usage": True}
    async with connect(key).chat.completions.stream(model=model, messages=user("Say hello."), stream_options=options) as events:
        async for event in events:
            if event.type == "content.delta":
                progress(event.delta)
        done = await events.get_final_completion()
    choice = done.choices[0]
    return {"text": choice.message.content, "finish": choice.finish_reason, **chat_usage(done)}


async def chat_tools_whole(key, model, _):
    return await chat_loop(model, connect(key).chat.completions.create)


async def chat_tools_streamed(key, model, _):
    async def ask(**body):
        async with connect(key).chat.completions.stream(**body) as events:
            return await events.get_final_completion()

    return await chat_loop(model, ask)


async def chat_object(key, model, _):
    done = await connect(key).chat.completions.parse(model=model, messages=user("Which city?"), response_format=City)
    return {"object": done.choices[0].message.parsed.model_dump()}


async def chat_vision(key, model, _):
    content = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": picture}}]
    done = await connect(key).chat.completions.create(model=model, messages=user(content))
    return {"text": done.choices[0].message.content}


responses_tools = [{"type": "function", "name": tool, "description": description, "strict": True, "parameters": schema}]


async def responses_loop(model, ask):
    asked, tools = user(question), []
    while True:
        done = await ask(model=model, input=asked, tools=responses_tools, parallel_tool_calls=True)
        called = [item for item in done.output if item.type == "function_call"]
        if not called:
            return {"text": done.output_text, "tools": tools}
        asked += [item.to_dict(exclude_unset=True) for item in done.output]
        for call in called:
            arguments = json.loads(call.arguments)
            tools.append({"name": call.name, "arguments": arguments})
            asked.append({"type": "function_call_output", "call_id": call.call_id, "output": weather(arguments)})


async def responses_text(key, model, _):
    done = await connect(key).responses.create(model=model, input="Say hello.")
    return {"text": done.output_text, **responses_usage(done)}


async def responses_stream(key, model, progress):
    async with connect(key).responses.stream(model=model, input="Say hello.") as events:
        async for event in events:
            if event.type == "response.output_text.delta":
                progress(event.delta)
        done = await events.get_final_response()
    return {"text": done.output_text, "finish": done.status, **responses_usage(done)}


async def responses_tools_whole(key, model, _):
    return await responses_loop(model, connect(key).responses.create)


async def responses_tools_streamed(key, model, _):
    async def ask(**body):
        async with connect(key).responses.stream(**body) as events:
            return await events.get_final_response()

    return await responses_loop(model, ask)


async def responses_object(key, model, _):
    done = await connect(key).responses.parse(model=model, input="Which city?", text_format=City)
    return {"object": done.output_parsed.model_dump()}


async def responses_vision(key, model, _):
    content = [{"type": "input_text", "text": "What is this?"}, {"type": "input_image", "image_url": picture, "detail": "auto"}]
    return {"text": (await connect(key).responses.create(model=model, input=user(content))).output_text}


async def models_list(key, model, _):
    return {"ids": [m.id async for m in connect(key).models.list()]}


async def models_get(key, model, _):
    return {"ids": [(await connect(key).models.retrieve(model)).id]}


async def embed(key, model, _):
    return {"vectors": [d.embedding for d in (await connect(key).embeddings.create(model=model, input=["one", "two"])).data]}


async def completions(key, model, _):
    return {"text": (await connect(key).completions.create(model=model, prompt="Say hello.")).choices[0].text}


async def moderations(key, model, _):
    return {"text": str((await connect(key).moderations.create(model=model, input="hello")).results[0].flagged).lower()}


async def images(key, model, _):
    return {"text": (await connect(key).images.generate(model=model, prompt="a dot")).data[0].b64_json}


async def speech(key, model, _):
    return {"text": (await connect(key).audio.speech.create(model=model, voice="alloy", input="hello")).text}


async def transcription(key, model, _):
    file = ("hello.wav", b"RIFF", "audio/wav")
    return {"text": (await connect(key).audio.transcriptions.create(model=model, file=file)).text}


endpoints = {
    "chat": {
        "text": chat_text, "stream": chat_stream, "tools": chat_tools_whole, "toolsStream": chat_tools_streamed,
        "object": chat_object, "vision": chat_vision,
    },
    "responses": {
        "text": responses_text, "stream": responses_stream, "tools": responses_tools_whole,
        "toolsStream": responses_tools_streamed, "object": responses_object, "vision": responses_vision,
    },
    "models": {"list": models_list, "get": models_get},
    "embeddings": {"embed": embed},
    "others": {
        "completions": completions, "moderations": moderations, "images": images, "speech": speech, "transcription": transcription,
    },
}
