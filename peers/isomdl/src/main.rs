//! Issues, presents and verifies driving licences with isomdl. One JSON object on standard input, one on standard
//! output. Bytes are base64url without padding, keys are JWKs.
//!
//! - `{"do": "issue", "certificate" (PEM), "key", "deviceKey", "elements"}`: issues; `{"issuerSigned"}`.
//! - `{"do": "present", "issuerSigned", "deviceKey", "request", "names"}`: discloses elements; `{"deviceResponse"}`.
//! - `{"do": "verify", "deviceResponse", "request", "root" (PEM)}`: the outcome of the library for such a response.
//!
//! `request` has `clientId`, `nonce` and `responseUri` of a request whose response is not encrypted. isomdl has the
//! session transcripts of proximity only. That of OpenID4VP (1.0, B.2.6.1) is made here, for the trait by which the
//! library takes others.

use std::collections::BTreeMap;
use std::io::stdin;

use anyhow::{anyhow, bail, Result};
use base64::{decode_config, encode_config, URL_SAFE_NO_PAD};
use ciborium::Value as Cbor;
use isomdl::cbor;
use isomdl::definitions::device_key::cose_key::{EC2Curve, EC2Y};
use isomdl::definitions::device_request::ItemsRequest;
use isomdl::definitions::device_signed::DeviceAuthType;
use isomdl::definitions::helpers::{NonEmptyMap, Tag24};
use isomdl::definitions::namespaces::org_iso_18013_5_1::OrgIso1801351;
use isomdl::definitions::session::SessionTranscript;
use isomdl::definitions::traits::{FromJson, ToNamespaceMap};
use isomdl::definitions::x509::trust_anchor::{PemTrustAnchor, TrustAnchorRegistry, TrustPurpose};
use isomdl::definitions::x509::X5Chain;
use isomdl::definitions::{
    CoseKey, DeviceKeyInfo, DeviceResponse, DigestAlgorithm, IssuerSigned, Mso, ValidityInfo,
};
use isomdl::issuance::Mdoc;
use isomdl::presentation::device::{DeviceSession, Documents};
use isomdl::presentation::reader::parse;
use isomdl::presentation::reader_utils::validate_response;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use p256::elliptic_curve::sec1::ToEncodedPoint;
use p256::{PublicKey, SecretKey};
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

const DOC_TYPE: &str = "org.iso.18013.5.1.mDL";
const NAME_SPACE: &str = "org.iso.18013.5.1";

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum Ask {
    Issue {
        certificate: String,
        key: Value,
        device_key: Value,
        elements: Value,
    },
    Present {
        issuer_signed: String,
        device_key: Value,
        request: Request,
        names: Vec<String>,
    },
    Verify {
        device_response: String,
        request: Request,
        root: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    client_id: String,
    nonce: String,
    response_uri: String,
}

fn main() -> Result<()> {
    let answer = match serde_json::from_reader(stdin())? {
        Ask::Issue {
            certificate,
            key,
            device_key,
            elements,
        } => issue(&certificate, &key, &device_key, &elements)?,
        Ask::Present {
            issuer_signed,
            device_key,
            request,
            names,
        } => present(&issuer_signed, &device_key, &request, &names)?,
        Ask::Verify {
            device_response,
            request,
            root,
        } => verify(&device_response, &request, root)?,
    };
    println!("{answer}");
    Ok(())
}

fn issue(certificate: &str, key: &Value, device_key: &Value, elements: &Value) -> Result<Value> {
    let elements = OrgIso1801351::from_json(elements)?.to_ns_map();
    // the validity of an mdoc has no fraction of a second
    let now = OffsetDateTime::now_utc().replace_nanosecond(0)?;
    let signer = SigningKey::from(SecretKey::from_jwk_str(&key.to_string())?);
    let mdoc = Mdoc::builder()
        .doc_type(DOC_TYPE.to_string())
        .namespaces(BTreeMap::from([(NAME_SPACE.to_string(), elements)]))
        .validity_info(ValidityInfo {
            signed: now,
            valid_from: now,
            valid_until: now + Duration::days(1),
            expected_update: None,
        })
        .digest_algorithm(DigestAlgorithm::SHA256)
        .device_key_info(DeviceKeyInfo {
            device_key: cose_key(device_key)?,
            key_authorizations: None,
            key_info: None,
        })
        .issue::<SigningKey, Signature>(
            X5Chain::builder()
                .with_pem_certificate(certificate.as_bytes())?
                .build()?,
            signer,
        )?;
    let issuer_signed = IssuerSigned {
        namespaces: Some(mdoc.namespaces),
        issuer_auth: mdoc.issuer_auth,
    };
    Ok(json!({ "issuerSigned": encoded(&issuer_signed)? }))
}

fn cose_key(jwk: &Value) -> Result<CoseKey> {
    let point = PublicKey::from_jwk_str(&jwk.to_string())?.to_encoded_point(false);
    let (Some(x), Some(y)) = (point.x(), point.y()) else {
        bail!("the key is no point")
    };
    Ok(CoseKey::EC2 {
        crv: EC2Curve::P256,
        x: x.to_vec(),
        y: EC2Y::Value(y.to_vec()),
    })
}

fn present(issuer_signed: &str, key: &Value, request: &Request, names: &[String]) -> Result<Value> {
    let IssuerSigned {
        namespaces,
        issuer_auth,
    } = decoded(issuer_signed)?;
    let payload = issuer_auth.payload.as_ref();
    let mso: Tag24<Mso> = cbor::from_slice(payload.ok_or(anyhow!("no payload"))?)?;
    let mdoc = Mdoc {
        doc_type: mso.as_ref().doc_type.clone(),
        mso: mso.into_inner(),
        namespaces: namespaces.ok_or(anyhow!("no namespaces"))?,
        issuer_auth,
    };
    let permitted = BTreeMap::from([(
        mdoc.doc_type.clone(),
        BTreeMap::from([(NAME_SPACE.to_string(), names.to_vec())]),
    )]);
    let requested: BTreeMap<String, bool> =
        names.iter().map(|name| (name.clone(), false)).collect();
    let requested = NonEmptyMap::try_from(requested).map_err(|_| anyhow!("no names"))?;
    let items = ItemsRequest {
        doc_type: mdoc.doc_type.clone(),
        namespaces: NonEmptyMap::new(NAME_SPACE.to_string(), requested),
        request_info: None,
    };
    let session = Session {
        documents: Documents::new(mdoc.doc_type.clone(), mdoc.into()),
        transcript: transcript(request)?,
    };
    let signer = SigningKey::from(SecretKey::from_jwk_str(&key.to_string())?);
    let mut response = session.prepare_response(&vec![items], permitted);
    while let Some((_, payload)) = response.get_next_signature_payload() {
        let signature: Signature = signer.try_sign(payload)?;
        response.submit_next_signature(signature.to_vec());
    }
    Ok(json!({ "deviceResponse": encoded(&response.finalize_response())? }))
}

fn verify(device_response: &str, request: &Request, root: String) -> Result<Value> {
    let response: DeviceResponse = decoded(device_response)?;
    let (document, x5chain, elements) = parse(&response)?;
    let roots = TrustAnchorRegistry::from_pem_certificates(vec![PemTrustAnchor {
        certificate_pem: root,
        purpose: TrustPurpose::Iaca,
    }])?;
    let outcome = validate_response(
        transcript(request)?,
        roots,
        x5chain,
        document.clone(),
        elements,
    );
    Ok(serde_json::to_value(outcome)?)
}

/// A holder's side of one OpenID4VP request.
struct Session {
    documents: Documents,
    transcript: Transcript,
}

impl DeviceSession for Session {
    type ST = Transcript;

    fn documents(&self) -> &Documents {
        &self.documents
    }

    fn session_transcript(&self) -> Transcript {
        self.transcript.clone()
    }

    fn device_auth_type(&self) -> DeviceAuthType {
        DeviceAuthType::Sign1
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Transcript(Cbor);

impl SessionTranscript for Transcript {}

fn transcript(request: &Request) -> Result<Transcript> {
    let info = Cbor::Array(vec![
        Cbor::Text(request.client_id.clone()),
        Cbor::Text(request.nonce.clone()),
        Cbor::Null,
        Cbor::Text(request.response_uri.clone()),
    ]);
    let hash = Sha256::digest(cbor::to_vec(&info)?).to_vec();
    let handover = Cbor::Array(vec![
        Cbor::Text("OpenID4VPHandover".to_string()),
        Cbor::Bytes(hash),
    ]);
    Ok(Transcript(Cbor::Array(vec![
        Cbor::Null,
        Cbor::Null,
        handover,
    ])))
}

fn encoded<T: Serialize>(value: &T) -> Result<String> {
    Ok(encode_config(cbor::to_vec(value)?, URL_SAFE_NO_PAD))
}

fn decoded<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T> {
    Ok(cbor::from_slice(&decode_config(text, URL_SAFE_NO_PAD)?)?)
}
