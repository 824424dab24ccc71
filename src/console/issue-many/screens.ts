import type { Endpoint } from '../../http/routes/endpoint.ts'
import { draftScreens } from './draft-screen.ts'
import { uploadScreens } from './upload-screen.ts'

/** Issuing from a table. */
export const tableScreens: readonly Endpoint[] = [...uploadScreens, ...draftScreens]
