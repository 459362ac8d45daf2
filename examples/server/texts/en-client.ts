/** The texts in English of known clients: `ui_strings`. The other texts of our own clients are English already. */
export const CLIENT_TEXTS = {
  save_confirm_title: 'Unsaved changes',
  save_confirm_message: 'Save your changes?',
  save_confirm_save: 'Save',
  save_confirm_discard: 'Discard',
  save_confirm_cancel: 'Cancel',
  quit_title: 'Quit',
  quit_message: 'Do you want to quit?',
  quit_yes: 'Yes',
  quit_no: 'No',
  logout: 'Log out',
  created: 'Created.',
  deleted: 'Deleted.',
  saved: 'Saved.',
  saving: 'Saving…',
  loading: 'Loading…',
  cancelled: 'Cancelled.',
  no_changes: 'Nothing has changed.',
  copied: 'Copied.',
  error_prefix: 'Error:',
  save_error_prefix: 'Not saved:',
  login_error: 'The login failed.',
  server_unavailable: 'The server cannot respond now.',
  connecting: 'Connecting…'
}

/** What a language must have. */
export type KnownTexts = typeof CLIENT_TEXTS
