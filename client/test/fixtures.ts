// What the fake server sends, and what a person enters.

export const FORM = {
  layout: 'Card',
  title: 'Demo',
  auth_action: '/auth/login',
  sections: [
    {
      id: 'login',
      label: 'Login',
      fields: [
        { id: 'username', label: 'Username', type: 'Text', value: '' },
        { id: 'password', label: 'Password', type: 'Password', value: '' },
        { id: 'company', label: 'Company', type: 'Text', value: 'ACME', editable: false }
      ]
    }
  ]
}
export const MENU = { layout: 'Menu', title: 'Main Menu', user_display_name: 'Ada', menu: { tabs: [] } }
export const CARD = {
  layout: 'Card',
  title: 'Card',
  screen_id: 'person',
  record_id: '7',
  actions: { save: '/save', create: '/create', delete: '/delete' },
  sections: [
    {
      id: 'person',
      label: 'Person',
      fields: [
        { id: 'name', label: 'Name', type: 'Text', value: 'Ada' },
        { id: 'city', label: 'City', type: 'Text', value: 'London' },
        { id: 'pin', label: 'PIN', type: 'Password', value: '' },
        { id: 'since', label: 'Since', type: 'Date', value: '1815-12-10', editable: false }
      ]
    }
  ]
}
export const LIST = { layout: 'List', title: 'People', lines: {} }
/** A list that leads to a new record. */
export const PEOPLE = { ...LIST, actions: { create: '/new' } }
export const OTHER = { layout: 'Card', title: 'Other' }
export const ENTERED = { username: 'ada', password: 'correct horse' }
/** What the store has after the login of that user. */
export const LOGIN = 'abc\nusername=ada'
