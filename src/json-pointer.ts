/** Appends a step to a JSON pointer. @see [RFC 6901, 3](https://www.rfc-editor.org/rfc/rfc6901#section-3) */
export function pointerTo(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Splits a JSON pointer into its steps; none for the whole document. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
