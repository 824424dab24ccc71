/**
 * Returns the URL of the configuration of an OpenID Provider: at the end of its path, less a slash there.
 *
 * @see [OpenID Connect Discovery 1.0, 4.1](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationRequest)
 */
export function providerConfigurationUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}
