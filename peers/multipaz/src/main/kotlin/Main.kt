/**
 * A wallet and a verifier built with multipaz. One JSON object on a line of standard input, one on a line of standard
 * output; what the library logs goes to standard error.
 *
 * - `{"do": "hold", "offer", "txCode", "attester", "root" (PEM), "link", "browser"}`: redeems an offer, validates the
 *   credentials and the chain of their issuer, and answers a presentation request; `{"findings", "isTrusted", "claims",
 *   "answer"}`, the first three by credential.
 *   - `txCode`: the transaction code, if the offer has one.
 *   - `attester`: the `key` (JWK) and the `certificate` (PEM) of the wallet provider, if there is one.
 *   - `link`: the request; or `browser`: the `protocol`, the `data` and the `origin` of a request over the Digital
 *     Credentials API, for which `answer` is what the page gets.
 *   - For a sign-in there is a line `{"open"}` with the address before; the address to which the browser is sent back
 *     is read from the next line of input.
 * - `{"do": "mso_mdoc" or "dc+sd-jwt", "presentation", "root" (PEM), "request"}`: verifies a presentation;
 *   `{"isTrusted", "claims"}`. `request` has `clientId`, `nonce` and `responseUri` of a request whose response is not
 *   encrypted.
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
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import kotlinx.serialization.json.putJsonObject
import org.multipaz.cbor.Cbor
import org.multipaz.cbor.DataItem
import org.multipaz.cbor.Simple
import org.multipaz.cbor.addCborArray
import org.multipaz.cbor.buildCborArray
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
import org.multipaz.mdoc.response.DeviceResponse
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
import org.multipaz.sdjwt.SdJwt
import org.multipaz.sdjwt.SdJwtKb
import org.multipaz.securearea.KeyAttestation
import org.multipaz.securearea.SecureAreaRepository
import org.multipaz.securearea.software.SoftwareSecureArea
import org.multipaz.storage.ephemeral.EphemeralStorage
import org.multipaz.trustmanagement.ConfigurableTrustManager
import org.multipaz.trustmanagement.TrustEntryX509Cert
import org.multipaz.trustmanagement.TrustMetadata
import org.multipaz.util.Logger
import org.multipaz.util.fromBase64Url
import kotlin.time.Clock
import kotlin.time.Duration.Companion.minutes

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
        "mso_mdoc" -> verifyMdoc(ask)
        "dc+sd-jwt" -> verifySdJwt(ask)
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
        putJsonArray("claims") {
            for (held in claims) addJsonObject {
                for (claim in held) when (claim) {
                    is JsonClaim -> put("${claim.claimPath}", claim.value)
                    is MdocClaim -> put("${claim.namespaceName}/${claim.dataElementName}", claim.value.toJson())
                }
            }
        }
        put("answer", answer)
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
    is AuthorizationChallenge.OAuth -> {
        println(buildJsonObject { put("open", challenge.url) })
        AuthorizationResponse.OAuth(challenge.id, readln())
    }
}

fun attesting(attester: JsonObject): OpenID4VCIBackend {
    val chain = X509CertChain(listOf(X509Cert.fromPem(attester.text("certificate"))))
    val key = AsymmetricKey.X509CertifiedExplicit(chain, EcPrivateKey.fromJwk(attester.getValue("key").jsonObject))
    return OpenID4VCILocalBackend(key, key, CLIENT_ID, "A wallet", "https://wallet.example")
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

suspend fun verifyMdoc(ask: JsonObject): JsonObject {
    val response = DeviceResponse.fromDataItem(Cbor.decode(ask.text("presentation").fromBase64Url()))
    response.verify(sessionTranscript(ask.getValue("request").jsonObject))
    val document = response.documents.single()
    return buildJsonObject {
        put("isTrusted", isTrusted(document.issuerCertChain, ask))
        putJsonObject("claims") {
            for ((nameSpace, items) in document.issuerNamespaces.data)
                putJsonObject(nameSpace) { for ((name, item) in items) put(name, item.dataElementValue.toJson()) }
        }
    }
}

/** OpenID4VP 1.0, B.2.6.1: the library makes it within its wallet only. */
suspend fun sessionTranscript(request: JsonObject): DataItem {
    val info = buildCborArray {
        add(request.text("clientId"))
        add(request.text("nonce"))
        add(Simple.NULL)
        add(request.text("responseUri"))
    }
    val hash = Crypto.digest(Algorithm.SHA256, Cbor.encode(info))
    return buildCborArray {
        add(Simple.NULL)
        add(Simple.NULL)
        addCborArray {
            add("OpenID4VPHandover")
            add(hash)
        }
    }
}

suspend fun verifySdJwt(ask: JsonObject): JsonObject {
    val request = ask.getValue("request").jsonObject
    val presentation = SdJwtKb.fromCompactSerialization(ask.text("presentation"))
    val chain = presentation.sdJwt.x5c
    val claims = presentation.verify(
        issuerKey = chain?.certificates?.first()?.publicKey ?: error("no x5c"),
        checkNonce = { it == request.text("nonce") },
        checkAudience = { it == request.text("clientId") },
        checkCreationTime = { (Clock.System.now() - it).absoluteValue < 5.minutes },
    )
    return buildJsonObject {
        put("isTrusted", isTrusted(chain, ask))
        put("claims", claims)
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
