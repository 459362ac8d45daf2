// Mistakes that people make: where somebody tells of one, a comment says where.

/** A mistake that people make with a framework. */
export interface Mistake {
  name: string
  /** The clause that it breaks. */
  clause: string
  /** What stands in the conforming server, once, and what the mistake makes of it. */
  edits: Record<string, string>
}

/** A conforming server in a framework, and what people do wrong in it. */
export interface Framework {
  name: string
  /** The source, in the folder of its toolchain. */
  file: string
  /** The algorithm of its JWTs; none when its tokens are opaque. */
  algorithm?: 'HS256' | 'RS256' | 'ES256'
  mistakes: Mistake[]
}

const express: Framework = {
  name: 'Express',
  file: 'express.js',
  algorithm: 'HS256',
  mistakes: [
    {
      name: 'the guard is mounted on a path, so that unknown routes are 404',
      clause: '4 all other routes',
      edits: { 'app.use((req, res, next) => {': "app.use('/menu', (req, res, next) => {" }
    },
    {
      name: 'jwt.decode, which verifies nothing',
      clause: '5.3.2',
      edits: {
        "jwt.verify(token, SECRET, { algorithms: ['HS256'] })": 'jwt.decode(token) ?? jwt.verify(token)'
      }
    },
    {
      name: 'a token of which the verification fails is 403',
      clause: '7 invalid token',
      edits: { 'res.sendStatus(401)': 'res.sendStatus(token ? 403 : 401)' }
    },
    {
      name: 'what follows the first space of the header is the token, whatever stands before it',
      clause: '5.1',
      edits: { "    if (scheme.toLowerCase() !== 'bearer') throw new Error('no token')\n": '' }
    },
    {
      name: 'express.json() before the guard, so that a broken body is 400',
      clause: '7 missing token',
      edits: { 'const app = express()\n': 'const app = express()\napp.use(express.json())\n' }
    }
  ]
}

const hono: Framework = {
  name: 'Hono',
  file: 'hono.js',
  mistakes: [
    {
      // its documentation: 400 for an invalid request
      name: 'bearerAuth, which responds 400 to a header that it cannot read',
      clause: '5.3.3',
      edits: {
        "import { Hono } from 'hono'\n":
          "import { Hono } from 'hono'\nimport { bearerAuth } from 'hono/bearer-auth'\n",
        'app.use(async (c, next) => {\n':
          'app.use(bearerAuth({ verifyToken: token => names.has(token) }))\napp.use(async (c, next) => {\n'
      }
    },
    {
      name: 'the route is registered before the guard',
      clause: '4 GET /menu/main',
      edits: {
        'const app = new Hono()\n':
          "const app = new Hono()\napp.get('/menu/main', c => c.json(menu(c.get('name') ?? 'Ada Lovelace')))\n"
      }
    },
    {
      name: 'the guard is registered for GET only',
      clause: '4 all other routes',
      edits: { 'app.use(async (c, next) => {': "app.get('*', async (c, next) => {" }
    },
    {
      name: 'an error handler that makes a 500 of the HTTPException 401',
      clause: '7 missing token',
      edits: {
        "import { Hono } from 'hono'\n":
          "import { Hono } from 'hono'\nimport { HTTPException } from 'hono/http-exception'\n",
        'return c.body(null, 401)': 'throw new HTTPException(401)',
        'const app = new Hono()\n':
          'const app = new Hono()\napp.onError((error, c) => c.json({ error: error.message }, 500))\n'
      }
    },
    {
      name: 'the token may come in the query, for links and sockets',
      clause: '5.1',
      edits: {
        "(c.req.header('authorization') ?? '')":
          "(c.req.header('authorization') ?? 'Bearer '.concat(c.req.query('token')))"
      }
    }
  ]
}

const flask: Framework = {
  name: 'Flask',
  file: 'flask_server.py',
  algorithm: 'HS256',
  mistakes: [
    {
      name: 'a request without an endpoint is let through, so that unknown routes are 404',
      clause: '4 all other routes',
      edits: { 'in ("form", "login")': 'in ("form", "login", None)' }
    },
    {
      name: 'verify_signature is off',
      clause: '5.3.2',
      edits: { 'algorithms=["HS256"]': 'options={"verify_signature": False}' }
    },
    {
      name: 'a redirect to the login, as for a browser',
      clause: '7 missing token',
      edits: {
        'import Flask, g, request': 'import Flask, g, redirect, request',
        'return "", 401': 'return redirect("/auth/login")'
      }
    },
    {
      name: 'OPTIONS is let through for CORS, and Flask itself responds',
      clause: '4 all other routes',
      edits: {
        'if request.endpoint in ("form", "login") and request.method != "OPTIONS":':
          'if request.endpoint in ("form", "login") or request.method == "OPTIONS":'
      }
    },
    {
      name: 'the session cookie of the login stands for the token',
      clause: '5.1',
      edits: {
        'import Flask, g, request': 'import Flask, g, request, session',
        'static_folder=None)\n': 'static_folder=None)\napp.secret_key = SECRET\n',
        '    scheme, _, token':
          '    if "user" in session:\n        g.user = session["user"]\n        return None\n    scheme, _, token',
        '    name, now = "Ada Lovelace", int(time.time())\n':
          '    name, now = "Ada Lovelace", int(time.time())\n    session["user"] = {"display_name": name}\n'
      }
    }
  ]
}

const fastapi: Framework = {
  name: 'FastAPI',
  file: 'fastapi_server.py',
  mistakes: [
    {
      // fastapi#1304, #1125, #4653
      name: 'an HTTPException in a middleware, which becomes 500',
      clause: '7 missing token',
      edits: {
        'import FastAPI, Request, Response': 'import FastAPI, HTTPException, Request, Response',
        'return Response(status_code=401)': 'raise HTTPException(status_code=401)'
      }
    },
    {
      name: '/docs and /openapi.json are open',
      clause: '4 all other routes',
      edits: {
        'if request.url.path != "/auth/login" or request.method not in ("GET", "POST"):':
          'if request.url.path not in ("/auth/login", "/docs", "/openapi.json") or request.method not in ("GET", "POST"):'
      }
    },
    {
      name: 'response_model_exclude_none, so that the error of a success is missing',
      clause: '2.2 error',
      edits: {
        'response_model=AuthResponse': 'response_model=AuthResponse, response_model_exclude_none=True'
      }
    },
    {
      name: 'a rejection is an HTTPException, with nothing but a detail',
      clause: '2.2 success',
      edits: {
        'import FastAPI, Request, Response': 'import FastAPI, HTTPException, Request, Response',
        'return AuthResponse(success=False, error="Wrong user or password")':
          'raise HTTPException(status_code=401, detail="Wrong user or password")'
      }
    },
    {
      name: 'the guard is a dependency of the routes, so that unknown ones are 404',
      clause: '4 all other routes',
      edits: {
        'import FastAPI, Request, Response': 'import Depends, FastAPI, HTTPException, Request',
        '@app.middleware("http")\nasync def guard(request: Request, call_next):\n':
          'def guard(request: Request):\n',
        'return Response(status_code=401)': 'raise HTTPException(status_code=401)',
        '    return await call_next(request)\n': '',
        '@app.get("/menu/main")': '@app.get("/menu/main", dependencies=[Depends(guard)])'
      }
    }
  ]
}

const netHttp: Framework = {
  name: 'Go net/http',
  file: 'main.go',
  algorithm: 'RS256',
  mistakes: [
    {
      name: 'TrimPrefix takes off a Bearer that need not be there',
      clause: '5.1',
      edits: {
        'scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")':
          'token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")',
        'err != nil || !strings.EqualFold(scheme, "Bearer")': 'err != nil'
      }
    },
    {
      name: 'ParseUnverified, which verifies nothing',
      clause: '5.3.2',
      edits: {
        '_, err := jwt.ParseWithClaims(token, &user, publicKey, jwt.WithValidMethods([]string{"RS256"}))':
          '_, _, err := jwt.NewParser().ParseUnverified(token, &user)'
      }
    },
    {
      name: 'omitempty, so that the error of a success is missing',
      clause: '2.2 error',
      edits: { '`json:"error"`': '`json:"error,omitempty"`' }
    },
    {
      name: 'no return after the 401, so that the screen follows',
      clause: '5.3.3',
      edits: {
        '\t\t\tw.WriteHeader(http.StatusUnauthorized)\n\t\t\treturn\n':
          '\t\t\tw.WriteHeader(http.StatusUnauthorized)\n'
      }
    },
    {
      // gosec G108
      name: 'net/http/pprof is imported, and its routes are not guarded',
      clause: '4 all other routes',
      edits: {
        '\t"net/http"\n': '\t"net/http"\n\t_ "net/http/pprof"\n',
        'if r.URL.Path == "/auth/login"':
          'if strings.HasPrefix(r.URL.Path, "/debug/") || r.URL.Path == "/auth/login"'
      }
    }
  ]
}

const axum: Framework = {
  name: 'Axum',
  file: 'main.rs',
  algorithm: 'HS256',
  mistakes: [
    {
      // axum#3421: the documentation itself said otherwise
      name: 'route_layer, which leaves out the fallback',
      clause: '4 all other routes',
      edits: { '.layer(from_fn(guard))': '.route_layer(from_fn(guard))' }
    },
    {
      name: 'a route that is added after the layer',
      clause: '4 GET /menu/main',
      edits: {
        '        .route("/menu/main", get(main_menu))\n        .layer(from_fn(guard));':
          '        .layer(from_fn(guard))\n        .route("/menu/main", get(main_menu))\n        .layer(Extension(json!({ "display_name": NAME })));'
      }
    },
    {
      name: 'validate_exp is off',
      clause: '5.3.2',
      edits: {
        'let validation = Validation::new(Algorithm::HS256);':
          'let mut validation = Validation::new(Algorithm::HS256);\n    validation.validate_exp = false;'
      }
    },
    {
      name: 'insecure_decode, which verifies nothing',
      clause: '5.3.2',
      edits: {
        'decode::<Value>(token, &key, &validation)':
          'jsonwebtoken::dangerous::insecure_decode::<Value>(token)'
      }
    },
    {
      // examples/jwt in axum's repository
      name: 'a missing or invalid token is 400',
      clause: '7 missing token',
      edits: { 'StatusCode::UNAUTHORIZED': 'StatusCode::BAD_REQUEST' }
    }
  ]
}

const spring: Framework = {
  name: 'Spring Boot',
  file: 'Server.java',
  algorithm: 'ES256',
  mistakes: [
    {
      // spring-security#12599, #14120, #4250
      name: 'permitAll alone, so that the login with a stale token is 401',
      clause: '5.2',
      edits: {
        'return request -> request.getServletPath().equals("/auth/login") ? null : resolver.resolve(request);':
          'return resolver;'
      }
    },
    {
      name: 'Http403ForbiddenEntryPoint, the one where none is chosen',
      clause: '7 missing token',
      edits: {
        '        .csrf(csrf -> csrf.disable())\n':
          '        .csrf(csrf -> csrf.disable())\n        .exceptionHandling(e -> e.authenticationEntryPoint(\n            new org.springframework.security.web.authentication.Http403ForbiddenEntryPoint()))\n'
      }
    },
    {
      name: 'the protection from CSRF refuses the login',
      clause: '4 POST /auth/login',
      edits: { '        .csrf(csrf -> csrf.disable())\n': '' }
    },
    {
      name: '/actuator/** is open',
      clause: '4 all other routes',
      edits: {
        '            .anyRequest()':
          '            .requestMatchers("/actuator/**").permitAll()\n            .anyRequest()'
      }
    },
    {
      name: '/error is open',
      clause: '4 all other routes',
      edits: {
        '            .anyRequest()':
          '            .requestMatchers("/error").permitAll()\n            .anyRequest()'
      }
    }
  ]
}

/** The frameworks, by the toolchain that they need. */
export const frameworks = {
  node: [express, hono],
  python: [flask, fastapi],
  go: [netHttp],
  rust: [axum],
  java: [spring]
}
