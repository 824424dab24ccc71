"""Runs scim2-tester against a SCIM service and prints its results as JSON. Arguments: address of the service, bearer token."""
import json
import sys

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

address, token = sys.argv[1:]
with httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}) as http:
    results = check_server(SyncSCIMClient(http))
print(json.dumps([{"status": one.status.name, "title": one.title, "reason": one.reason} for one in results]))
