import type { LoginForm } from 'fastify-screen-auth'
import type { CardSection } from 'fastify-screen-auth/screens'

/** The plugin's login form, in the language of the person. */
export const loginForm: LoginForm = (form, request) => {
  const texts = request.texts
  return {
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
  }
}
