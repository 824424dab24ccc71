import { every, type Schedule } from '../jobs/schedule.ts'
import { sweepKeptPaths } from '../pages/session/kept-path.ts'
import { sweepPageSessions } from '../pages/session/page-session.ts'
import { sweepDrafts } from './issue-many/kept-drafts.ts'

/** Sweeps of the pages. */
export const pageSchedules: readonly Schedule[] = [
  every(3600, 'pages.delete-sessions', sweepPageSessions),
  every(3600, 'pages.delete-kept-paths', sweepKeptPaths),
  every(300, 'console.delete-table-drafts', sweepDrafts),
]
