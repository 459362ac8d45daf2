import type { LoginForm, MainMenu } from 'fastify-screen-auth'
import type { CardSection, MenuItem, MenuScreen, MenuTab } from 'fastify-screen-auth/screens'

/** Plugin's login form, in the language of the client. */
export const loginForm: LoginForm = (form, { texts }) => ({
  ...form,
  ...texts.language,
  sections: [
    {
      id: 'login',
      label: texts.login.section,
      fields: [
        { id: 'username', label: texts.username, type: 'Text', value: '' },
        { id: 'password', label: texts.login.password, type: 'Password', value: '' }
      ]
    } satisfies CardSection
  ]
})

/** Main menu: tabs with items, each with an action. */
export const mainMenu: MainMenu = (user, { texts }) => {
  const { mainMenu, contact, profile, password, users, language } = texts
  const contactsTab: MenuTab = {
    label: mainMenu.contacts,
    items: [openScreen(contact.title, '/screen/contacts'), openScreen(contact.add, '/screen/contacts/new')]
  }
  const accountTab: MenuTab = {
    label: mainMenu.account,
    items: [openScreen(profile.title, '/screen/profile'), openScreen(password.title, '/screen/password')]
  }
  const directoryTab: MenuTab = {
    label: mainMenu.directory,
    items: [
      openScreen(users.title, '/screen/users'),
      { label: '', action: { type: 'separator' } },
      { label: mainMenu.about, action: { type: 'message', text: mainMenu.aboutText } }
    ]
  }
  return {
    layout: 'Menu',
    title: mainMenu.title,
    ...language,
    menu: {
      panel_title: mainMenu.panel,
      // In the no-auth mode there is no account.
      tabs: user === null ? [contactsTab, directoryTab] : [contactsTab, accountTab, directoryTab]
    }
  } satisfies MenuScreen
}

function openScreen(label: string, url: string): MenuItem {
  return { label, action: { type: 'open_screen', url } }
}
