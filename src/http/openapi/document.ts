/** One operation of the document, as far as the reference page reads it. */
export type OpenApiOperation = {
  /** Unique: verb and noun. */
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly object[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
  readonly security?: readonly object[]
}

/** An OpenAPI document: `paths` by pattern and method. */
export type OpenApi = {
  readonly openapi: '3.1.0'
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Record<string, object> } & Readonly<Record<string, object>>
} & Readonly<Record<string, unknown>>
