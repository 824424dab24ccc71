import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { Endpoint } from './endpoint.ts'
import type { Route } from './route.ts'

export function mountReference(
  app: FastifyInstance,
  parts: { config: Config; routes: readonly Route[]; endpoints: readonly Endpoint[] },
): void {}
