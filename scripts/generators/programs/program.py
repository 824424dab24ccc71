"""What a program in Python does with a client by openapi-python-client. Its types are checked, and it is run."""

from chirograph_client import AuthenticatedClient
from chirograph_client.api.issuance_and_trust_presentation_templates import (
    create_presentation_template,
    replace_presentation_template,
)
from chirograph_client.api.issuance_and_trust_issuances import list_issuances
from chirograph_client.models.error_reply import ErrorReply
from chirograph_client.models.issuance_page import IssuancePage


def ids(client: AuthenticatedClient) -> list[str]:
    page = list_issuances.sync(client=client, pagesize=10)
    if not isinstance(page, IssuancePage):
        return []
    return [str(one.id) for one in page.data]


assert callable(create_presentation_template.sync) and callable(replace_presentation_template.sync)
refusal = {"id": "1", "status": "404", "code": "LATER", "title": "Unknown.", "detail": "There is none."}
assert ErrorReply.from_dict({"errors": [refusal]}).errors[0].code == "LATER"
