// @ts-nocheck: the code of the checks is JavaScript

// Made by `npm run contract` from the TypeBox schemas beside it: do not change it by hand.

import type * as types from './index.ts'

export const AuthRequest = {
  "$id": "AuthRequest",
  "title": "AuthRequest",
  "description": "Body of the credentials submission",
  "examples": [
    {
      "fields": {
        "username": "ada",
        "password": "correct horse"
      }
    }
  ],
  "additionalProperties": true,
  "type": "object",
  "required": [
    "fields"
  ],
  "properties": {
    "fields": {
      "additionalProperties": {
        "type": "string"
      },
      "description": "Map from field id to the string entered by the user",
      "type": "object",
      "properties": {
        "username": {
          "description": "The username as typed",
          "type": "string"
        },
        "password": {
          "description": "The password as typed, never trimmed",
          "type": "string"
        }
      }
    }
  }
}

export const AuthResponse = {
  "$id": "AuthResponse",
  "title": "AuthResponse",
  "description": "Response of the credentials submission",
  "examples": [
    {
      "success": true,
      "token": "the-token-of-ada",
      "error": null,
      "screen": {
        "layout": "Menu",
        "title": "Main Menu",
        "menu": {
          "panel_title": "Main",
          "tabs": [
            {
              "label": "Start",
              "items": [
                {
                  "label": "Profile",
                  "action": {
                    "type": "open_screen",
                    "url": "/screen/profile"
                  }
                }
              ]
            }
          ]
        },
        "user_display_name": "Ada Lovelace"
      }
    },
    {
      "success": false,
      "token": null,
      "error": "Wrong username or password.",
      "screen": null
    }
  ],
  "additionalProperties": true,
  "type": "object",
  "required": [
    "success",
    "token",
    "error",
    "screen"
  ],
  "properties": {
    "success": {
      "description": "Whether authentication succeeded",
      "type": "boolean"
    },
    "token": {
      "description": "Token for later requests; null on failure",
      "anyOf": [
        {
          "type": "string"
        },
        {
          "type": "null"
        }
      ]
    },
    "error": {
      "description": "Human-readable error message; null on success",
      "anyOf": [
        {
          "type": "string"
        },
        {
          "type": "null"
        }
      ]
    },
    "screen": {
      "description": "Initial screen (the main menu) to show at once; null on failure",
      "anyOf": [
        {
          "title": "ScreenContract",
          "description": "A screen that the client draws",
          "examples": [
            {
              "layout": "Card",
              "title": "Demo Company",
              "auth_action": "/auth/login",
              "sections": [
                {
                  "id": "login",
                  "label": "Login",
                  "fields": [
                    {
                      "id": "username",
                      "label": "Username",
                      "type": "Text",
                      "value": ""
                    },
                    {
                      "id": "password",
                      "label": "Password",
                      "type": "Password",
                      "value": ""
                    }
                  ]
                }
              ]
            },
            {
              "layout": "Menu",
              "title": "Main Menu",
              "menu": {
                "panel_title": "Main",
                "tabs": [
                  {
                    "label": "Start",
                    "items": [
                      {
                        "label": "Profile",
                        "action": {
                          "type": "open_screen",
                          "url": "/screen/profile"
                        }
                      }
                    ]
                  }
                ]
              },
              "user_display_name": "Ada Lovelace"
            }
          ],
          "type": "object",
          "required": [
            "layout"
          ],
          "properties": {
            "layout": {
              "description": "`Card` for the login form, `Menu` for the main menu",
              "type": "string"
            },
            "title": {
              "description": "Screen title",
              "type": "string"
            },
            "auth_action": {
              "description": "URL to which the form is submitted as an AuthRequest; on the login form",
              "type": "string"
            },
            "sections": {
              "description": "The sections of a form",
              "type": "array",
              "items": {
                "title": "Section",
                "description": "A labelled group of fields",
                "examples": [
                  {
                    "id": "login",
                    "label": "Login",
                    "fields": [
                      {
                        "id": "username",
                        "label": "Username",
                        "type": "Text",
                        "value": ""
                      },
                      {
                        "id": "password",
                        "label": "Password",
                        "type": "Password",
                        "value": ""
                      }
                    ]
                  }
                ],
                "type": "object",
                "required": [
                  "id",
                  "label",
                  "fields"
                ],
                "properties": {
                  "id": {
                    "description": "Section id; `login` on the login form",
                    "type": "string"
                  },
                  "label": {
                    "description": "Display label",
                    "type": "string"
                  },
                  "fields": {
                    "description": "The fields, in display order",
                    "type": "array",
                    "items": {
                      "title": "Field",
                      "description": "One field of a form section",
                      "examples": [
                        {
                          "id": "username",
                          "label": "Username",
                          "type": "Text",
                          "value": ""
                        },
                        {
                          "id": "password",
                          "label": "Password",
                          "type": "Password",
                          "value": ""
                        }
                      ],
                      "type": "object",
                      "required": [
                        "id",
                        "label",
                        "type"
                      ],
                      "properties": {
                        "id": {
                          "description": "Field id; on the login form `username` or `password`",
                          "type": "string"
                        },
                        "label": {
                          "description": "Display label",
                          "type": "string"
                        },
                        "type": {
                          "description": "Field type; on the login form `Text` or `Password`",
                          "type": "string"
                        },
                        "value": {
                          "description": "Initial value; an empty string on the login form",
                          "type": "string"
                        }
                      },
                      "additionalProperties": true
                    }
                  }
                },
                "additionalProperties": true
              }
            },
            "menu": {
              "additionalProperties": true,
              "description": "Content of a `Menu`: open, the host decides",
              "type": "object",
              "properties": {}
            },
            "user_display_name": {
              "description": "Name of the logged-in user, shown in the top-right corner of every screen",
              "type": "string"
            }
          },
          "additionalProperties": true
        },
        {
          "type": "null"
        }
      ]
    }
  }
}

export const ScreenContract = {
  "$id": "ScreenContract",
  "title": "ScreenContract",
  "description": "A screen that the client draws",
  "examples": [
    {
      "layout": "Card",
      "title": "Demo Company",
      "auth_action": "/auth/login",
      "sections": [
        {
          "id": "login",
          "label": "Login",
          "fields": [
            {
              "id": "username",
              "label": "Username",
              "type": "Text",
              "value": ""
            },
            {
              "id": "password",
              "label": "Password",
              "type": "Password",
              "value": ""
            }
          ]
        }
      ]
    },
    {
      "layout": "Menu",
      "title": "Main Menu",
      "menu": {
        "panel_title": "Main",
        "tabs": [
          {
            "label": "Start",
            "items": [
              {
                "label": "Profile",
                "action": {
                  "type": "open_screen",
                  "url": "/screen/profile"
                }
              }
            ]
          }
        ]
      },
      "user_display_name": "Ada Lovelace"
    }
  ],
  "type": "object",
  "required": [
    "layout"
  ],
  "properties": {
    "layout": {
      "description": "`Card` for the login form, `Menu` for the main menu",
      "type": "string"
    },
    "title": {
      "description": "Screen title",
      "type": "string"
    },
    "auth_action": {
      "description": "URL to which the form is submitted as an AuthRequest; on the login form",
      "type": "string"
    },
    "sections": {
      "description": "The sections of a form",
      "type": "array",
      "items": {
        "title": "Section",
        "description": "A labelled group of fields",
        "examples": [
          {
            "id": "login",
            "label": "Login",
            "fields": [
              {
                "id": "username",
                "label": "Username",
                "type": "Text",
                "value": ""
              },
              {
                "id": "password",
                "label": "Password",
                "type": "Password",
                "value": ""
              }
            ]
          }
        ],
        "type": "object",
        "required": [
          "id",
          "label",
          "fields"
        ],
        "properties": {
          "id": {
            "description": "Section id; `login` on the login form",
            "type": "string"
          },
          "label": {
            "description": "Display label",
            "type": "string"
          },
          "fields": {
            "description": "The fields, in display order",
            "type": "array",
            "items": {
              "title": "Field",
              "description": "One field of a form section",
              "examples": [
                {
                  "id": "username",
                  "label": "Username",
                  "type": "Text",
                  "value": ""
                },
                {
                  "id": "password",
                  "label": "Password",
                  "type": "Password",
                  "value": ""
                }
              ],
              "type": "object",
              "required": [
                "id",
                "label",
                "type"
              ],
              "properties": {
                "id": {
                  "description": "Field id; on the login form `username` or `password`",
                  "type": "string"
                },
                "label": {
                  "description": "Display label",
                  "type": "string"
                },
                "type": {
                  "description": "Field type; on the login form `Text` or `Password`",
                  "type": "string"
                },
                "value": {
                  "description": "Initial value; an empty string on the login form",
                  "type": "string"
                }
              },
              "additionalProperties": true
            }
          }
        },
        "additionalProperties": true
      }
    },
    "menu": {
      "additionalProperties": true,
      "description": "Content of a `Menu`: open, the host decides",
      "type": "object",
      "properties": {}
    },
    "user_display_name": {
      "description": "Name of the logged-in user, shown in the top-right corner of every screen",
      "type": "string"
    }
  },
  "additionalProperties": true
}

export type AuthRequest = types.AuthRequest

export type AuthResponse = types.AuthResponse

export type ScreenContract = types.ScreenContract

export const isAuthRequest: (value: unknown) => value is types.AuthRequest = (() => {
function check_AuthRequest(value) {
  return (
    (typeof value === 'object' && value !== null && !Array.isArray(value)) &&
    (typeof value['fields'] === 'object' && value['fields'] !== null && !Array.isArray(value['fields'])) &&
    (value['fields']['username'] !== undefined ? ((typeof value['fields']['username'] === 'string')) : true) &&
    (value['fields']['password'] !== undefined ? ((typeof value['fields']['password'] === 'string')) : true) &&
    (Object.getOwnPropertyNames(value['fields']).every(key => ['username', 'password'].includes(key) || ((typeof value['fields'][key] === 'string'))))
  )
}
return function check(value) {
  return check_AuthRequest(value)
}
})()

export const isScreenContract: (value: unknown) => value is types.ScreenContract = (() => {
function check_ScreenContract(value) {
  return (
    (typeof value === 'object' && value !== null && !Array.isArray(value)) &&
    (typeof value['layout'] === 'string') &&
    (value['title'] !== undefined ? ((typeof value['title'] === 'string')) : true) &&
    (value['auth_action'] !== undefined ? ((typeof value['auth_action'] === 'string')) : true) &&
    (value['sections'] !== undefined ? (Array.isArray(value['sections']) && ((array) => { for(const value of array) if(!(((typeof value === 'object' && value !== null && !Array.isArray(value)) && (typeof value['id'] === 'string') && (typeof value['label'] === 'string') && Array.isArray(value['fields']) && ((array) => { for(const value of array) if(!(((typeof value === 'object' && value !== null && !Array.isArray(value)) && (typeof value['id'] === 'string') && (typeof value['label'] === 'string') && (typeof value['type'] === 'string') && (value['value'] !== undefined ? ((typeof value['value'] === 'string')) : true)))) { return false }; return true; })(value['fields'])))) { return false }; return true; })(value['sections'])) : true) &&
    (value['menu'] !== undefined ? ((typeof value['menu'] === 'object' && value['menu'] !== null && !Array.isArray(value['menu']))) : true) &&
    (value['user_display_name'] !== undefined ? ((typeof value['user_display_name'] === 'string')) : true)
  )
}
return function check(value) {
  return check_ScreenContract(value)
}
})()

export const components = {
  "AuthRequest": {
    "title": "AuthRequest",
    "description": "Body of the credentials submission",
    "examples": [
      {
        "fields": {
          "username": "ada",
          "password": "correct horse"
        }
      }
    ],
    "additionalProperties": true,
    "type": "object",
    "required": [
      "fields"
    ],
    "properties": {
      "fields": {
        "additionalProperties": {
          "type": "string"
        },
        "description": "Map from field id to the string entered by the user",
        "type": "object",
        "properties": {
          "username": {
            "description": "The username as typed",
            "type": "string"
          },
          "password": {
            "description": "The password as typed, never trimmed",
            "type": "string"
          }
        }
      }
    }
  },
  "AuthResponse": {
    "title": "AuthResponse",
    "description": "Response of the credentials submission",
    "examples": [
      {
        "success": true,
        "token": "the-token-of-ada",
        "error": null,
        "screen": {
          "layout": "Menu",
          "title": "Main Menu",
          "menu": {
            "panel_title": "Main",
            "tabs": [
              {
                "label": "Start",
                "items": [
                  {
                    "label": "Profile",
                    "action": {
                      "type": "open_screen",
                      "url": "/screen/profile"
                    }
                  }
                ]
              }
            ]
          },
          "user_display_name": "Ada Lovelace"
        }
      },
      {
        "success": false,
        "token": null,
        "error": "Wrong username or password.",
        "screen": null
      }
    ],
    "additionalProperties": true,
    "type": "object",
    "required": [
      "success",
      "token",
      "error",
      "screen"
    ],
    "properties": {
      "success": {
        "description": "Whether authentication succeeded",
        "type": "boolean"
      },
      "token": {
        "description": "Token for later requests; null on failure",
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "error": {
        "description": "Human-readable error message; null on success",
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "screen": {
        "description": "Initial screen (the main menu) to show at once; null on failure",
        "anyOf": [
          {
            "$ref": "#/components/schemas/ScreenContract"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "if": {
      "properties": {
        "success": {
          "const": true
        }
      }
    },
    "then": {
      "type": "object",
      "properties": {
        "token": {
          "type": "string",
          "minLength": 1
        },
        "error": {
          "type": "null"
        },
        "screen": {
          "type": "object"
        }
      },
      "additionalProperties": true
    },
    "else": {
      "type": "object",
      "properties": {
        "token": {
          "type": "null"
        },
        "error": {
          "type": "string"
        },
        "screen": {
          "type": "null"
        }
      },
      "additionalProperties": true
    }
  },
  "ScreenContract": {
    "title": "ScreenContract",
    "description": "A screen that the client draws",
    "examples": [
      {
        "layout": "Card",
        "title": "Demo Company",
        "auth_action": "/auth/login",
        "sections": [
          {
            "id": "login",
            "label": "Login",
            "fields": [
              {
                "id": "username",
                "label": "Username",
                "type": "Text",
                "value": ""
              },
              {
                "id": "password",
                "label": "Password",
                "type": "Password",
                "value": ""
              }
            ]
          }
        ]
      },
      {
        "layout": "Menu",
        "title": "Main Menu",
        "menu": {
          "panel_title": "Main",
          "tabs": [
            {
              "label": "Start",
              "items": [
                {
                  "label": "Profile",
                  "action": {
                    "type": "open_screen",
                    "url": "/screen/profile"
                  }
                }
              ]
            }
          ]
        },
        "user_display_name": "Ada Lovelace"
      }
    ],
    "type": "object",
    "required": [
      "layout"
    ],
    "properties": {
      "layout": {
        "description": "`Card` for the login form, `Menu` for the main menu",
        "type": "string"
      },
      "title": {
        "description": "Screen title",
        "type": "string"
      },
      "auth_action": {
        "description": "URL to which the form is submitted as an AuthRequest; on the login form",
        "type": "string"
      },
      "sections": {
        "description": "The sections of a form",
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Section"
        }
      },
      "menu": {
        "additionalProperties": true,
        "description": "Content of a `Menu`: open, the host decides",
        "type": "object",
        "properties": {}
      },
      "user_display_name": {
        "description": "Name of the logged-in user, shown in the top-right corner of every screen",
        "type": "string"
      }
    },
    "additionalProperties": true
  },
  "Section": {
    "title": "Section",
    "description": "A labelled group of fields",
    "examples": [
      {
        "id": "login",
        "label": "Login",
        "fields": [
          {
            "id": "username",
            "label": "Username",
            "type": "Text",
            "value": ""
          },
          {
            "id": "password",
            "label": "Password",
            "type": "Password",
            "value": ""
          }
        ]
      }
    ],
    "type": "object",
    "required": [
      "id",
      "label",
      "fields"
    ],
    "properties": {
      "id": {
        "description": "Section id; `login` on the login form",
        "type": "string"
      },
      "label": {
        "description": "Display label",
        "type": "string"
      },
      "fields": {
        "description": "The fields, in display order",
        "type": "array",
        "items": {
          "$ref": "#/components/schemas/Field"
        }
      }
    },
    "additionalProperties": true
  },
  "Field": {
    "title": "Field",
    "description": "One field of a form section",
    "examples": [
      {
        "id": "username",
        "label": "Username",
        "type": "Text",
        "value": ""
      },
      {
        "id": "password",
        "label": "Password",
        "type": "Password",
        "value": ""
      }
    ],
    "type": "object",
    "required": [
      "id",
      "label",
      "type"
    ],
    "properties": {
      "id": {
        "description": "Field id; on the login form `username` or `password`",
        "type": "string"
      },
      "label": {
        "description": "Display label",
        "type": "string"
      },
      "type": {
        "description": "Field type; on the login form `Text` or `Password`",
        "type": "string"
      },
      "value": {
        "description": "Initial value; an empty string on the login form",
        "type": "string"
      }
    },
    "additionalProperties": true
  }
}

