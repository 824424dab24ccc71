import type {
  ApiOperation,
  Method,
  OperationDefaults,
  OperationShapes,
  OperationTraits,
  OptionalSchema,
} from '../../contract/api-operation.ts'
import { type Answer, type ContextOf, type RawAnswer, type Route, serve } from '../routes/route.ts'

/** An operation and its work in one, where a test needs an operation of its own. */
export function route<
  const P extends string,
  PS extends OptionalSchema = undefined,
  QS extends OptionalSchema = undefined,
  BS extends OptionalSchema = undefined,
  RS extends OptionalSchema = undefined,
  const TS extends readonly string[] | undefined = undefined,
  MS extends OptionalSchema = undefined,
>({
  handle,
  moreViolations,
  ...operation
}: OperationDefaults &
  OperationTraits &
  OperationShapes<PS, QS, BS, RS, TS, MS> & {
    readonly method: Method
    readonly path: P
    readonly moreViolations?: Route['moreViolations']
    readonly handle: (
      context: ContextOf<ApiOperation<P, PS, QS, BS, RS, TS, MS>>,
    ) => Promise<Answer | RawAnswer> | Answer | RawAnswer
  }): Route {
  const none = {
    params: undefined,
    query: undefined,
    body: undefined,
    reply: undefined,
    fileBodies: undefined,
    meta: undefined,
  }
  // What is not stated is not part of the operation.
  const whole = { ...none, ...operation } as ApiOperation<P, PS, QS, BS, RS, TS, MS>
  return serve(whole, handle as Parameters<typeof serve<typeof whole>>[1], moreViolations && { moreViolations })
}
