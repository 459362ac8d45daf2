/**
 * The session's own texts. The `ui_strings` of a screen can translate them, under the same keys.
 */
export const TEXTS = {
  session_ended: 'Your session has ended. Log in again.',
  logged_out: 'You are logged out.',
  were_lost: 'Unsaved changes were lost',
  unreachable: 'The server cannot be reached.',
  not_sent: 'No connection. Nothing was sent.',
  client_error: 'This client has an error.',
  server_unavailable: 'The server cannot respond now.',
  not_found: 'The server has nothing at this address.',
  refused: 'The server refused the request.',
  conflict: 'Changed by others in the meantime.',
  not_a_screen: 'This client cannot show the response.',
  foreign: 'This address belongs to another server.',
  cancelled: 'Cancelled.',
  saved: 'Saved.',
  done: 'Done.',
  not_a_number: 'not a number like {0}.',
  no_changes: 'Nothing has changed.',
  maybe_saved: 'No response. Check whether it was done',
  restored: 'Your unsaved changes are back.',
  changed_meanwhile: 'Changed by others:',
  ask_unsaved: 'Leave without saving?',
  changes_lost: 'Your changes would be lost.',
  leave: 'Leave',
  ask_delete: 'Delete {0}?',
  cannot_be_undone: 'This cannot be undone.',
  delete: 'Delete',
  unknown_action: 'Unknown action:'
}

/** The key of a text. */
export type TextKey = keyof typeof TEXTS
