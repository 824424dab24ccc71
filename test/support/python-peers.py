"""Reads and makes credentials with other people's libraries. One JSON object on standard input, one on standard output.

{"do": "sd-jwt", "presentation", "aud", "nonce"}: verifies a presentation by the certificate in its header; its claims.
{"do": "mdoc", "response" (base64url), "root" (PEM)}: verifies a DeviceResponse up to a root; its elements by namespace.
{"do": "issue", "claims", "disclosed", "vct", "aud", "nonce"}: issues an SD-JWT VC by a new did:jwk, and presents it.
"""
import base64
import json
import sys
import time

from cryptography import x509
from jwcrypto.jwk import JWK
from pymdoccbor.mdoc.verifier import MdocCbor
from sd_jwt.common import SDObj
from sd_jwt.holder import SDJWTHolder
from sd_jwt.issuer import SDJWTIssuer
from sd_jwt.verifier import SDJWTVerifier


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def read_sd_jwt(ask):
    def key_of(_issuer, header):
        leaf = x509.load_der_x509_certificate(base64.b64decode(header["x5c"][0]))
        return JWK.from_pyca(leaf.public_key())

    verifier = SDJWTVerifier(ask["presentation"], key_of, ask["aud"], ask["nonce"])
    return verifier.get_verified_payload()


def read_mdoc(ask):
    root = x509.load_pem_x509_certificate(ask["root"].encode())
    response = MdocCbor()
    response.loads(unpadded(ask["response"]))
    return {"isValid": response.verify([root]), "elements": response.disclosure_map}


def issue(ask):
    issuer_key, holder_key = (JWK.generate(kty="EC", crv="P-256") for _ in range(2))
    public = issuer_key.export_public()
    did = "did:jwk:" + base64.urlsafe_b64encode(public.encode()).decode().rstrip("=")
    claims = {SDObj(name): value for name, value in ask["claims"].items()}
    claims.update({"iss": did, "vct": ask["vct"], "iat": int(time.time())})
    SDJWTIssuer.SD_JWT_HEADER = "dc+sd-jwt"
    made = SDJWTIssuer(claims, issuer_key, holder_key, extra_header_parameters={"kid": did + "#0"})
    holder = SDJWTHolder(made.sd_jwt_issuance)
    wanted = {name: True for name in ask["disclosed"]}
    holder.create_presentation(wanted, ask["nonce"], ask["aud"], holder_key)
    return {"issuer": did, "presentation": holder.sd_jwt_presentation}


asked = json.load(sys.stdin)
print(json.dumps({"sd-jwt": read_sd_jwt, "mdoc": read_mdoc, "issue": issue}[asked["do"]](asked), default=str))
