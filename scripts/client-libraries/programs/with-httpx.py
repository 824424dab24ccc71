import httpx
from lines import answer_lines

client = httpx.Client(follow_redirects=True, trust_env=False, timeout=60)


def send(method, url, headers, content):
    response = client.request(method, url, headers=headers, content=content)
    return response.status_code, response.content


answer_lines(send)
