/**
 * Returns the id of the credential of an issuance. It is the id of the issuance with the last bit inverted, so that the
 * row of a credential is found without an index of its own. A UUID of version 7 with the same time; its 62 random bits
 * keep it apart from all other ids.
 *
 * @param id In canonical form.
 */
export function credentialIdOf(id: string): string {
  return id.slice(0, -1) + (Number.parseInt(id.slice(-1), 16) ^ 1).toString(16)
}

/** Returns the id of the issuance that a credential with this id would be of: the inverse of {@link credentialIdOf}. */
export function issuanceIdOf(credentialId: string): string {
  return credentialIdOf(credentialId)
}
