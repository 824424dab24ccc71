/**
 * A wallet and a verifier built with multipaz. One JSON object on a line of standard input, one on a line of standard
 * output; what the library logs goes to standard error. A line `{"asks"}` before the last asks for something, which is
 * read from the next line of input.
 *
 * - `{"do": "hold", "offer", "txCode", "attester", "root" (PEM), "link", "browser"}`: redeems an offer, validates the
 *   credentials and the chain of their issuer, and answers a presentation request; `{"findings", "isTrusted", "claims",
 *   "answer"}`, the first three by credential. Asks with the address of a sign-in for that to which the browser is sent
 *   back.
 *   - `txCode`: the transaction code, if the offer has one.
 *   - `attester`: the `key` (JWK) and the `certificate` (PEM) of the wallet provider, if there is one.
 *   - `link`: the request; or `browser`: the `protocol`, the `data` and the `origin` of a request over the Digital
 *     Credentials API, for which `answer` is what the page gets.
 * - `{"do": "verify", "dcql", "responseUri", "verifier", "root" (PEM)}`: asks with a request object for the members of
 *   the form that a wallet posts (as JSON), and verifies the one presentation in it; `{"isTrusted", "claims",
 *   "status"}`. `verifier` has a `key` and a `certificate`, as an attester.
 */
import io.ktor.client.HttpClient
import io.ktor.client.engine.java.Java
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.add
import kotlinx.serialization.json.addJsonArray
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import org.multipaz.claim.Claim
import org.multipaz.claim.JsonClaim
import org.multipaz.claim.MdocClaim
import org.multipaz.credential.Credential
import org.multipaz.crypto.Algorithm
import org.multipaz.crypto.AsymmetricKey
import org.multipaz.crypto.Crypto
import org.multipaz.crypto.EcPrivateKey
import org.multipaz.crypto.X509Cert
import org.multipaz.crypto.X509CertChain
import org.multipaz.document.Document
import org.multipaz.document.DocumentStore
import org.multipaz.document.buildDocumentStore
import org.multipaz.documenttype.DocumentTypeRepository
import org.multipaz.mdoc.credential.MdocCredential
import org.multipaz.presentment.PresentmentSource
import org.multipaz.presentment.SimplePresentmentSource
import org.multipaz.presentment.digitalCredentialsPresentment
import org.multipaz.presentment.uriSchemePresentment
import org.multipaz.prompt.PromptModel
import org.multipaz.prompt.promptModelSilentConsent
import org.multipaz.provisioning.AuthorizationChallenge
import org.multipaz.provisioning.AuthorizationResponse
import org.multipaz.provisioning.CredentialKeyAttestation
import org.multipaz.provisioning.DocumentProvisioningHandler
import org.multipaz.provisioning.DocumentProvisioningSettings
import org.multipaz.provisioning.ProvisioningModel
import org.multipaz.provisioning.openid4vci.OpenID4VCIBackend
import org.multipaz.provisioning.openid4vci.OpenID4VCIClientPreferences
import org.multipaz.provisioning.openid4vci.OpenID4VCILocalBackend
import org.multipaz.revocation.CachingRevocationChecker
import org.multipaz.sdjwt.SdJwt
import org.multipaz.securearea.KeyAttestation
import org.multipaz.securearea.SecureAreaRepository
import org.multipaz.securearea.software.SoftwareSecureArea
import org.multipaz.storage.ephemeral.EphemeralStorage
import org.multipaz.trustmanagement.ConfigurableTrustManager
import org.multipaz.trustmanagement.TrustEntryX509Cert
import org.multipaz.trustmanagement.TrustMetadata
import org.multipaz.util.Logger
import org.multipaz.util.toBase64Url
import org.multipaz.verification.VerificationSession
import org.multipaz.verification.VerificationUtil
import org.multipaz.verification.VerifierIdentity

const val CLIENT_ID = "https://wallet.example"

fun main() = runBlocking {
    Logger.isDebugEnabled = true
    Logger.logPrinter = Logger.LogPrinter { _, tag, message, throwable ->
        System.err.println("$tag: $message")
        throwable?.printStackTrace()
    }
    val ask = Json.parseToJsonElement(readln()).jsonObject
    val answer = when (ask.text("do")) {
        "hold" -> hold(ask)
        "verify" -> verify(ask)
        else -> error("what?")
    }
    println(answer)
}

fun JsonObject.text(name: String): String = getValue(name).jsonPrimitive.content

suspend fun hold(ask: JsonObject): JsonObject {
    val storage = EphemeralStorage()
    val secureArea = SoftwareSecureArea.create(storage)
    val store = buildDocumentStore(storage, SecureAreaRepository.Builder().add(secureArea).build()) {}
    val settings = DocumentProvisioningSettings(requestUserAuth = false)
    val model = ProvisioningModel(
        documentProvisioningHandler = DocumentProvisioningHandler(secureArea, store, null, settings),
        httpClient = HttpClient(Java) { followRedirects = false },
        promptModel = NoPrompts,
        authorizationSecureArea = secureArea,
    )
    val credentials = redeem(model, ask).getCertifiedCredentials()
    val isTrusted = credentials.map { isTrusted(issuerChain(it), ask) }
    val findings = credentials.map { it.validate().findings }
    val claims = credentials.map { it.getClaims(null) }
    val answer = withContext(NoPrompts) { present(presentmentSource(store, settings), ask) }
    return buildJsonObject {
        putJsonArray("findings") { for (found in findings) addJsonArray { found.forEach { add("$it") } } }
        putJsonArray("isTrusted") { isTrusted.forEach { add(it) } }
        putJsonArray("claims") { claims.forEach { add(json(it)) } }
        put("answer", answer)
    }
}

fun json(claims: List<Claim>): JsonObject = buildJsonObject {
    for (claim in claims) when (claim) {
        is JsonClaim -> put("${claim.claimPath}", claim.value)
        is MdocClaim -> put("${claim.namespaceName}/${claim.dataElementName}", claim.value.toJson())
    }
}

/** Redeems an offer. Sign-in and transaction code are asked for by the model. */
suspend fun redeem(model: ProvisioningModel, ask: JsonObject): Document = coroutineScope {
    val preferences = OpenID4VCIClientPreferences(
        clientId = CLIENT_ID,
        redirectUrl = "https://wallet.example/back",
        locales = listOf("en"),
        signingAlgorithms = listOf(Algorithm.ESP256),
    )
    val backend = ask["attester"]?.let { attesting(it.jsonObject) } ?: NoBackend
    val redeeming = model.launchOpenID4VCIProvisioning(ask.text("offer"), preferences, backend)
    val authorizing = launch {
        model.state.collect {
            if (it is ProvisioningModel.Authorizing)
                model.provideAuthorizationResponse(respond(it.authorizationChallenges.first(), ask))
        }
    }
    redeeming.await().also { authorizing.cancel() }
}

fun respond(challenge: AuthorizationChallenge, ask: JsonObject): AuthorizationResponse = when (challenge) {
    is AuthorizationChallenge.SecretText -> AuthorizationResponse.SecretText(challenge.id, ask.text("txCode"))
    is AuthorizationChallenge.OAuth -> AuthorizationResponse.OAuth(challenge.id, answered(challenge.url))
}

fun answered(asks: String): String {
    println(buildJsonObject { put("asks", asks) })
    return readln()
}

fun attesting(attester: JsonObject): OpenID4VCIBackend {
    val key = certifiedKey(attester)
    return OpenID4VCILocalBackend(key, key, CLIENT_ID, "A wallet", "https://wallet.example")
}

fun certifiedKey(owner: JsonObject): AsymmetricKey.X509CertifiedExplicit {
    val chain = X509CertChain(listOf(X509Cert.fromPem(owner.text("certificate"))))
    return AsymmetricKey.X509CertifiedExplicit(chain, EcPrivateKey.fromJwk(owner.getValue("key").jsonObject))
}

/** Answers a request. @return what a page gets that asked over the Digital Credentials API */
suspend fun present(source: PresentmentSource, ask: JsonObject): JsonElement {
    val browser = ask["browser"]?.jsonObject
    if (browser == null) {
        uriSchemePresentment(source, ask.text("link"), null, null, Java)
        return JsonNull
    }
    val data = browser.getValue("data").jsonObject
    return digitalCredentialsPresentment(
        browser.text("protocol"), data, null, browser.text("origin"), emptyList(), source,
    )
}

suspend fun issuerChain(credential: Credential): X509CertChain? = when (credential) {
    is MdocCredential -> credential.issuerCertChain
    else -> SdJwt.fromCompactSerialization(credential.issuerProvidedData.toByteArray().decodeToString()).x5c
}

suspend fun isTrusted(chain: X509CertChain?, ask: JsonObject): Boolean {
    val root = TrustEntryX509Cert("root", TrustMetadata(), X509Cert.fromPem(ask.text("root")))
    return chain != null && ConfigurableTrustManager("roots", listOf(root)).verify(chain.certificates).isTrusted
}

fun presentmentSource(store: DocumentStore, settings: DocumentProvisioningSettings) = SimplePresentmentSource(
    documentStore = store,
    documentTypeRepository = DocumentTypeRepository(),
    showConsentPromptFn = ::promptModelSilentConsent,
    domainsMdocSignature = listOf(settings.mdocNoUserAuthDomain),
    domainsKeyBoundSdJwt = listOf(settings.sdJwtNoUserAuthDomain),
)

suspend fun verify(ask: JsonObject): JsonObject {
    val key = certifiedKey(ask.getValue("verifier").jsonObject)
    val hash = Crypto.digest(Algorithm.SHA256, key.certChain.certificates.first().encoded.toByteArray())
    val session = VerificationUtil.generateVerificationSessionForDcql(
        requestTypes = listOf(VerificationSession.RequestType.OPENID4VP_URI_SCHEME),
        dcql = "${ask["dcql"]}",
        verifierIdentities = listOf(VerifierIdentity(key, "x509_hash:${hash.toBase64Url()}")),
        origin = ask.text("responseUri").substringBeforeLast('/'),
        responseUri = ask.text("responseUri"),
    )
    val request = session.find<VerificationSession.OpenID4VPUriSchemeRequest>().openID4VPRequest
    val form = answered(Json.parseToJsonElement(request).jsonObject.text("request"))
    val posted = Json.parseToJsonElement(form).jsonObject.mapValues { (_, value) -> value.jsonPrimitive.content }
    val presentation = session.processOpenID4VPUriSchemeResponse(posted).verify().single()
    val status = presentation.revocationStatus?.let {
        val checker = CachingRevocationChecker(EphemeralStorage(), HttpClient(Java))
        checker.check(it, X509Cert.fromPem(ask.text("root")))
    }
    return buildJsonObject {
        put("isTrusted", isTrusted(presentation.documentSignerCertChain, ask))
        put("claims", json(presentation.issuerSignedClaims))
        put("status", "${status?.state} ${status?.error ?: ""}".trim())
    }
}

/** Nobody is asked: keys need no passphrase, and consent is silent. */
object NoPrompts : PromptModel(object : Builder({ _, _ -> error("no prompts") }) {
    override fun build() = error("one is enough")
}) {
    override val promptModelScope = CoroutineScope(Dispatchers.Default)
}

/** A wallet without a provider: it neither authenticates as a client nor attests its keys. */
object NoBackend : OpenID4VCIBackend {
    override suspend fun getClientId() = error("no client")
    override suspend fun createJwtClientAssertion(authorizationServerIdentifier: String) = error("no client")
    override suspend fun createJwtWalletAttestation(keyAttestation: KeyAttestation) = error("no attestation")
    override suspend fun createJwtKeyAttestation(
        credentialKeyAttestations: List<CredentialKeyAttestation>,
        challenge: String,
        userAuthentication: List<String>?,
        keyStorage: List<String>?,
    ) = error("no attestation")
}
