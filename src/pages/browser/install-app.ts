type ScriptPolicy = { readonly createScriptURL: (text: string) => string }
type ScriptPolicies = {
  readonly createPolicy: (name: string, rules: { readonly createScriptURL: (text: string) => string }) => ScriptPolicy
}

/**
 * Keeps the offline page and the style on the device, so that the pages can be installed. Nothing of a person is kept.
 */
function keepOffline(): void {
  if (!('serviceWorker' in navigator)) return
  // Older browsers have no trusted types, and the types of the library do not know them.
  const policies = (window as { trustedTypes?: ScriptPolicies }).trustedTypes
  const policy = policies?.createPolicy('fragment', { createScriptURL: (text) => text })
  const address = '/worker.js'
  void navigator.serviceWorker
    .register(policy === undefined ? address : policy.createScriptURL(address))
    .catch(() => {})
}

keepOffline()
