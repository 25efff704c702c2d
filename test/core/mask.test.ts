import { describe, expect, it } from 'vitest';
import { isSecretName, MASKED, mask, maskText } from '../../src/core/recording/mask';

const M = MASKED;
// Put together here, so that no scanner takes this file for one with secrets in it.
const a = (count: number): string => 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ2bC4dF6hJ8'.repeat(4).slice(0, count);
const jwt = `eyJ${a(20)}.eyJ${a(30)}.${a(40)}`;
const pem = (kind: string): string =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${a(64)}\n${a(20)}\n-----END ${kind}PRIVATE KEY-----`;

describe('tokens of known forms', () => {
  it.each([
    ['GitHub', `ghp_${a(36)}`],
    ['GitHub app', `ghs_${a(36)}`],
    ['GitHub fine-grained', `github_pat_${a(22)}_${a(59)}`],
    ['GitLab', `glpat-${a(20)}`],
    ['OpenAI', `sk-${a(48)}`],
    ['OpenAI project', `sk-proj-${a(48)}`],
    ['Anthropic', `sk-ant-api03-${a(80)}-AA`],
    ['AWS', `AKIA${'ABCDEFGH12345678'}`],
    ['Google', `AIza${a(35)}`],
    ['Google OAuth', `ya29.${a(60)}`],
    ['Slack', `xoxb-123456789012-${a(24)}`],
    ['npm', `npm_${a(36)}`],
    ['PyPI', `pypi-${a(60)}`],
    ['Stripe', `sk_live_${a(24)}`],
    ['SendGrid', `SG.${a(22)}.${a(43)}`],
    ['Hugging Face', `hf_${a(34)}`],
    ['JWT', jwt],
    ['PEM', pem('')],
    ['PEM of RSA', pem('RSA ')],
    ['PEM of OpenSSH', pem('OPENSSH ')],
  ])('%s', (_name, token) => {
    expect(maskText(`echo ${token} | tee x`)).toBe(`echo ${M} | tee x`);
    expect(mask({ tool_input: { content: `const x = f("${token}");` } })).toEqual({
      tool_input: { content: `const x = f("${M}");` },
    });
  });

  it('a PEM block that is cut off', () => {
    expect(maskText(pem('').slice(0, 60))).toBe(M);
  });
});

describe('secrets by what names them', () => {
  it.each([
    ['DB_PASSWORD=hunter2 npm test', `DB_PASSWORD=${M} npm test`],
    ['export API_KEY="abc def"; ls', `export API_KEY="${M}"; ls`],
    ["PGPASSWORD='x y' psql", `PGPASSWORD='${M}' psql`],
    ['MYSQL_PWD=abc mysql', `MYSQL_PWD=${M} mysql`],
    ['AWS_SECRET_ACCESS_KEY=abc/def+1 aws s3 ls', `AWS_SECRET_ACCESS_KEY=${M} aws s3 ls`],
    ['GITHUB_TOKEN=abc gh pr list', `GITHUB_TOKEN=${M} gh pr list`],
    ['DB_PASS=abc ./run', `DB_PASS=${M} ./run`],
    ['docker run -e SECRET_KEY=abc img', `docker run -e SECRET_KEY=${M} img`],
    ['SECRET_KEY_BASE=abc rails s', `SECRET_KEY_BASE=${M} rails s`],
    ['curl "https://x.test/?api_key=abc123&page=2"', `curl "https://x.test/?api_key=${M}&page=2"`],
    ['curl -d password=hunter2 https://x.test', `curl -d password=${M} https://x.test`],
    ['tool --password hunter2 --verbose', `tool --password ${M} --verbose`],
    ['tool --api-key=abc --verbose', `tool --api-key=${M} --verbose`],
    ['tool --token "a b" file', `tool --token "${M}" file`],
    ['curl -u me:hunter2 https://x.test', `curl -u me:${M} https://x.test`],
    ['sshpass -p hunter2 ssh host', `sshpass -p ${M} ssh host`],
    ['mysql -u root -phunter2 db', `mysql -u root -p${M} db`],
    ['git clone https://me:abc123@git.test/x.git', `git clone https://me:${M}@git.test/x.git`],
    ['postgres://u:p%40ss@db:5432/app', `postgres://u:${M}@db:5432/app`],
    ['curl -H "Authorization: Bearer abc.def-123"', `curl -H "Authorization: Bearer ${M}"`],
    ['curl -H "Authorization: Basic dXNlcjpwYXNz"', `curl -H "Authorization: Basic ${M}"`],
    ["curl -H 'X-Api-Key: abcdef'", `curl -H 'X-Api-Key: ${M}'`],
    ["curl -H 'Cookie: sid=abc; theme=dark'", `curl -H 'Cookie: ${M}'`],
    ['Set-Cookie: sid=abc; Path=/', `Set-Cookie: ${M}`],
    ['{"password": "hunter2", "user": "me"}', `{"password": "${M}", "user": "me"}`],
    ["const apiKey = 'abc';", `const apiKey = '${M}';`],
    ['client_secret: "abc"', `client_secret: "${M}"`],
    ['password: hunter2\nuser: me', `password: ${M}\nuser: me`],
    ['_authToken=abc', `_authToken=${M}`],
    ['DATABASE_PASSWORD = "abc"', `DATABASE_PASSWORD = "${M}"`],
  ])('%s', (text, masked) => {
    expect(maskText(text)).toBe(masked);
    // A second time nothing changes: what is masked is no secret.
    expect(maskText(masked)).toBe(masked);
  });

  it.each(['password', 'DB_PASSWORD', 'apiKey', 'api-key', 'access_token', 'clientSecret', 'Authorization'])(
    'the value of the key %s',
    (key) => {
      expect(isSecretName(key)).toBe(true);
      expect(mask({ [key]: 'x', n: 1 })).toEqual({ [key]: M, n: 1 });
    },
  );

  it('whatever is below such a key, but no number and no flag', () => {
    expect(mask({ credentials: { user: 'u', list: ['a'], port: 1, ok: true, none: '' } })).toEqual({
      credentials: { user: M, list: [M], port: 1, ok: true, none: '' },
    });
  });
});

describe('ordinary text stays as it is', () => {
  it.each([
    'git commit -m "Rename the token parser: tokens are counted"',
    'npm test -- --grep "password reset"',
    'const token = parseToken(input);',
    'function login(user: string, password: string): Promise<Token> {}',
    'if (token === undefined) throw new Error("no token: sign in first");',
    'password: string;',
    'login(token=token, password=form.password)',
    'API_KEY=$OTHER_KEY npm start',
    'TOKEN=$(gh auth token) make',
    'const key = process.env.API_KEY;',
    'export PATH=$PATH:/usr/local/bin; cd "$PWD"',
    'PWD=/tmp OLDPWD=/ ls',
    'max_tokens: 4096',
    'token_count=12',
    'see https://example.test/docs?page=2#token',
    'ssh -p 2222 host; mysql -p; docker run -p 8080:80 img',
    'author=me AUTHOR_NAME=you git commit --author="A <a@example.test>"',
    'The cookie banner: accept or not. Authorization is described below.',
    'Basic usage: run it. Bearer tokens are sent in a header.',
    'sk-learn and task-force-one are words; so is SG.',
    'a=b c:d 12:30:45 /usr/bin:/bin 2026-11-09T14:02:31Z',
    'secret_name: my-secret',
    'feature/auth, refs/heads/token, src/secrets/index.ts',
    '9ce7298b7badf2e81e686d62c53e8e088a75112a',
    'x'.repeat(2000),
  ])('%s', (text) => {
    expect(maskText(text)).toBe(text);
  });

  it('in a whole document', () => {
    const document = {
      session_id: 'cad0ac4d-3933-45ad-9a1c-14aec05bb940',
      tool_name: 'Edit',
      tool_input: { file_path: '/p/src/token.ts', old_string: 'a', new_string: 'let token: Token;\n' },
      usage: { input_tokens: 12, output_tokens: 3 },
      permission_mode: 'default',
    };
    expect(mask(document)).toEqual(document);
  });

  it.each([
    ...[
      'echo a; ',
      'true && ',
      'a',
      'a-',
      'a.',
      'curl x ',
      'mysql x ',
      ' ',
      'a : ',
      'a=',
      'http://',
      'http://a:',
      '--x ',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN A ',
      'eyJ',
      'eyJ-',
      'sk-',
      'x_',
      'X-Token-',
      '\\"',
      '"',
      'password: ',
    ],
    ...['password="', "token='", 'Bearer ', 'Cookie:', 'token=a.', 'token=a(', 'DB_PASSWORD=x '],
  ])('is read once, however long: %s', (piece) => {
    const begun = process.cpuUsage();
    maskText(piece.repeat(300_000 / piece.length));
    maskText(`${piece.repeat(300_000 / piece.length)}=`);
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(1500);
  });
});
