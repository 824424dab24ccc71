import { sealedJson, sealedText } from '../../keys/sealed-column.ts'
import type { AnswerableRequest, PresentationView } from './presentation.ts'

/** What the holder is shown. */
export const { seal: sealView, open: openView } = sealedJson<PresentationView>('wallet_presentation', 'sealed_view')

/** What is needed to answer. */
export const { seal: sealRequest, open: openRequest } = sealedJson<AnswerableRequest>(
  'wallet_presentation',
  'sealed_request',
)

/** The form of an answer, to send it again. */
export const { seal: sealAnswer, open: openAnswer } = sealedText('wallet_presentation', 'sealed_answer')
