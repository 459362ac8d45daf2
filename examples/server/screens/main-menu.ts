import type { MainMenu } from 'fastify-screen-auth'

/** The main menu: tabs of items, each with an action. */
export const mainMenu: MainMenu = user => ({
  layout: 'Menu',
  title: 'Main Menu',
  menu: {
    panel_title: 'Main',
    // Without a login there is no account.
    tabs: user === null ? [directoryTab] : [accountTab, directoryTab]
  }
})

const accountTab = {
  label: 'Account',
  items: [openScreen('Profile', '/screen/profile'), openScreen('Change password', '/screen/password')]
}

const directoryTab = {
  label: 'Directory',
  items: [
    openScreen('Users', '/screen/users'),
    { label: '', action: { type: 'separator' } },
    { label: 'About', action: { type: 'message', text: 'The example server of fastify-screen-auth.' } }
  ]
}

function openScreen(label: string, url: string) {
  return { label, action: { type: 'open_screen', url } }
}
