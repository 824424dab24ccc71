import type { ReplyOf } from '../../contract/api-operation.ts'
import type { clients } from '../../contract/directory/clients.ts'

/** An application, as the API returns it. */
export type Application = ReplyOf<typeof clients.get>
/** Where applications are listed. */
export const applicationsPath = '/console/applications'
/** Their entry of the menu. */
export const applicationsPlace = 'applications'

/** Returns the address of an application, or of something to do with it. */
export function applicationPath({ clientId }: Pick<Application, 'clientId'>, verb?: string): string {
  return `${applicationsPath}/${encodeURIComponent(clientId)}${verb === undefined ? '' : `/${verb}`}`
}

/** Returns what an application is called. */
export function applicationName({ name, clientId }: Pick<Application, 'name' | 'clientId'>): string {
  return name ?? clientId
}
