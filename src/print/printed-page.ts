/** A line or paragraph of text, in whatever scripts: broken into lines, in the order of its direction. */
export type TextMark = {
  readonly kind: 'text'
  readonly text: string
  readonly x: number
  /** Of the upper edge of the first line. */
  readonly y: number
  readonly width: number
  /** In points. */
  readonly size: number
  readonly isBold?: boolean
  /** `start`: the left, or the right where the text runs from right to left. */
  readonly align: 'start' | 'center'
  /** What does not fit is cut. */
  readonly linesMax: number
  readonly color: string
}

/** What a page shows. Places and sizes are in millimetres from the upper left corner of the page. */
export type Mark =
  | TextMark
  | { readonly kind: 'qr'; readonly text: string; readonly x: number; readonly y: number; readonly size: number }
  /** `picture`: place in the pictures of the document. It keeps its proportions. */
  | {
      readonly kind: 'picture'
      readonly picture: number
      readonly x: number
      readonly y: number
      readonly width: number
      readonly height: number
    }
  | { readonly kind: 'rule'; readonly x: number; readonly y: number; readonly width: number }

/** A page of A4. */
export type PrintedPage = readonly Mark[]

/** What is said of a document as a whole. */
export type PrintedDocument = {
  readonly title: string
  /** BCP 47. */
  readonly language: string
  /** PNG or JPEG. One that cannot be read is left out. */
  readonly pictures: readonly Uint8Array[]
}

/** What a worker of the package gets: it answers each with the bytes that are ready. */
export type PrintTask = { readonly kind: 'pages'; readonly pages: readonly PrintedPage[] } | { readonly kind: 'end' }
