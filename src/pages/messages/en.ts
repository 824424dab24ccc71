import type { Role } from '../../caller.ts'

/** Texts of the kit in English. The shape that every language has. */
export const en = {
  skip: 'Skip to the content',
  languages: 'Language',
  privacy: 'Privacy notice',
  help: 'Help:',
  errorInTitle: (title: string) => `Error: ${title}`,
  problems: 'There is a problem',
  optional: 'optional',
  leaving: 'One moment',
  leavingLink: 'Continue',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  menu: 'Menu',
  tryAgain: 'Try again',
  choose: 'Choose',
  yes: 'Yes',
  no: 'No',
  notSignedIn: {
    title: 'The sign-in did not complete',
    advice: 'It took too long, was opened in another browser, or was cancelled.',
    again: 'Sign in again',
  },
  otherPerson: {
    title: 'Another person signed in',
    advice:
      'This had to be confirmed by the person who began it. Nothing was sent. Sign out, then sign in as that person.',
    leave: 'Sign out',
  },
  formLost:
    'You were signed out, and what you had opened or entered could not be kept. See how it stands, and do it again.',
  signOut: { title: 'Sign out', advice: 'You are signed out in every tab of this browser.', sign: 'Sign out' },
  pages: { label: 'Pages', next: 'Next', previous: 'Previous' },
  sorting: {
    label: 'Sort',
    /** Between a column and its order. */
    colon: ': ',
    text: { ascending: 'A to Z', descending: 'Z to A' },
    time: { ascending: 'oldest first', descending: 'newest first' },
  },
  /** Sentences for a refused request, by kind: what happened, and what to do. */
  refused: {
    missing: ['Page not found', 'Check the address. If you followed a link, it may be incomplete.'],
    method: ['Page not found', 'This address does not answer that kind of request. Go back and start again.'],
    forbidden: ['You cannot do this', 'Your account lacks the right to it. Ask an owner of your organisation.'],
    invalid: ['The request is incomplete', 'Go back, check what you entered, and try again.'],
    stale: [
      'This page was open for too long',
      'You signed in or out in the meantime, or your browser blocks cookies. Nothing was changed. Open the page again.',
    ],
    foreign: ['The request came from another website', 'Nothing was changed. Open the page here and try again.'],
    client: [
      'The application made a mistake',
      'Go back to it and try again. If it happens once more, tell its makers what stands below.',
    ],
    large: ['You sent too much', 'Go back and send less.'],
    busy: ['Too many attempts', 'Wait a moment, then try again.'],
    away: ['We are not available right now', 'Nothing was changed. Try again in a minute.'],
    failed: ['Something went wrong', 'It was our fault. Try again; if it happens once more, ask for help.'],
  } satisfies Record<string, readonly [title: string, advice: string]>,
  /** What the roles are called on every page. */
  roles: {
    holder: 'Holder',
    issuer: 'Issuer',
    verifier: 'Verifier',
    'trust-admin': 'Certificate administrator',
    'user-admin': 'People administrator',
    auditor: 'Auditor',
    owner: 'Owner',
  } satisfies Record<Role, string>,
  openAgain: 'Open the page again',
  toStart: 'Go to the start page',
  waitFor: (wait: string) => `Try again in ${wait}.`,
  errorId: 'If you ask for help, quote this number:',
}

/** The shape of the texts of the kit. */
export type PageTexts = typeof en
