import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preTool } from '../../core/rig';
import { bash, edit, type RuleRig, ruleRig, write } from './rules-rig';

let rig: RuleRig;
beforeAll(() => {
  rig = ruleRig('no-secrets');
  rig.write('.gitignore', 'node_modules\n.env\n.env.*\n!.env.example\n');
  rig.write('src/old.ts', 'const a = 1;\n');
});
afterAll(() => rig.remove());

/* Put together here, so that no scanner takes this file for one with secrets. */
const RANDOM = 'r7Kq2ZxV9bTn4LwY8mPdC3fHsJ6gA1uE5oQi';
const UPPER = 'Q4ZT7MWK2XPB9VNC';
const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const GITHUB = `ghp_${RANDOM}`;
const KEY_BODY = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7${RANDOM}${RANDOM}`;
const KEY = `-----BEGIN PRIVATE KEY-----\n${KEY_BODY}\n-----END PRIVATE KEY-----`;
/** The first lines of every OpenSSH key without a passphrase, and a body. */
const OPENSSH = [
  '-----BEGIN OPENSSH PRIVATE KEY-----',
  'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW',
  `QyNTUxOQAAACB${RANDOM}${RANDOM.slice(0, 19)}AA`,
  `AJi${RANDOM.slice(0, 20)}`,
  '-----END OPENSSH PRIVATE KEY-----',
].join('\n');
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: object): string =>
  `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(claims)}.${RANDOM}abcdE`;

/** File, text, and the kind that has to be named. */
const OFFENDING: readonly (readonly [file: string, text: string, kind: string])[] = [
  ['src/a.ts', `const token = '${GITHUB}';`, 'GitHub token'],
  ['src/a.ts', `// use gho_${RANDOM} for now`, 'GitHub token'],
  ['src/a.py', `headers = {"Authorization": "token ghs_${RANDOM}"}`, 'GitHub token'],
  ['src/a.ts', `const t = 'github_pat_11ABCDE0Y0${RANDOM}_${RANDOM}';`, 'GitHub token'],
  ['README.md', `export GH_TOKEN=${GITHUB}`, 'GitHub token'],
  ['test/a.test.ts', `const token = '${GITHUB}';`, 'GitHub token'],
  ['.gitlab-ci.yml', `  TOKEN: glpat-${RANDOM.slice(0, 20)}`, 'GitLab token'],
  ['src/a.ts', `new Anthropic({ apiKey: 'sk-ant-api03-${RANDOM}${RANDOM}AA' })`, 'Anthropic API key'],
  ['src/a.py', `openai.api_key = "sk-proj-${RANDOM}${RANDOM}"`, 'OpenAI API key'],
  ['src/a.py', `client = OpenAI(api_key="sk-${RANDOM}${RANDOM.slice(0, 12)}")`, 'OpenAI API key'],
  ['config/aws.ini', `aws_access_key_id = AKIA${UPPER}`, 'AWS access key'],
  ['src/a.tf', `access_key = "ASIA${UPPER}"`, 'AWS access key'],
  ['config/aws.ini', `aws_secret_access_key = ${RANDOM}/abc`, 'aws_secret_access_key'],
  ['src/maps.js', `loadMap("AIza${RANDOM.slice(0, 35)}")`, 'Google API key'],
  ['src/auth.json', `{"client_secret": "GOCSPX-${RANDOM.slice(0, 28)}"}`, 'Google OAuth secret'],
  ['src/slack.ts', `const bot = 'xoxb-2483726152-${RANDOM}';`, 'Slack token'],
  [
    'src/slack.ts',
    `post('https://hooks.slack.com/services/T02AB3CD4/B05EF6GH7/${RANDOM.slice(0, 24)}')`,
    'Slack webhook',
  ],
  ['src/pay.ts', `stripe('sk_live_${RANDOM.slice(0, 24)}')`, 'Stripe key'],
  ['src/pay.rb', `Stripe.api_key = "rk_live_${RANDOM.slice(0, 24)}"`, 'Stripe key'],
  ['.npmrc', `//registry.npmjs.org/:_authToken=npm_${RANDOM}`, 'npm token'],
  ['src/a.py', `TOKEN = "pypi-AgEIcHlwaS5vcmc${RANDOM}${RANDOM}"`, 'PyPI token'],
  ['src/mail.ts', `setApiKey('SG.${RANDOM.slice(0, 22)}.${RANDOM}${RANDOM.slice(0, 7)}')`, 'SendGrid key'],
  ['src/hf.py', `login("hf_${RANDOM.slice(0, 34)}")`, 'Hugging Face token'],
  ['infra/do.tf', `token = "dop_v1_${HEX}"`, 'DigitalOcean token'],
  ['src/a.ts', `const session = '${jwt({ sub: 'u-88231', role: 'admin' })}';`, 'JSON Web Token'],
  ['keys/server.pem', KEY, 'private key'],
  ['keys/id_rsa', KEY.replaceAll('PRIVATE', 'RSA PRIVATE'), 'private key'],
  ['keys/id', KEY.replaceAll('PRIVATE', 'OPENSSH PRIVATE'), 'private key'],
  ['deploy/k1', OPENSSH, 'private key'],
  ['deploy/k1', OPENSSH.replaceAll('\n', '\r\n'), 'private key'],
  ['src/key.ts', `const key = ${JSON.stringify(OPENSSH)};`, 'private key'],
  ['k8s/ssh.yaml', OPENSSH.replace(/^/gm, '    '), 'private key'],
  ['sa.json', JSON.stringify({ private_key: KEY }), 'private key'],
  ['src/db.ts', "connect('postgres://app:w8Zk2pQv@db.acme.io:5432/prod')", 'connection string'],
  ['src/db.py', 'URL = "mysql+pymysql://root:Tr7-kLm9@10.2.3.4/app"', 'connection string'],
  [
    'src/db.ts',
    "new MongoClient('mongodb+srv://svc:hG73jsKq@cluster0.ab1cd.mongodb.net')",
    'connection string',
  ],
  ['src/q.ts', "connect('amqps://bob:9sXmQ2vT@rabbit.acme.io/vhost')", 'connection string'],
  ['src/g.sh', 'git clone https://bob:9sXmQ2vTkk@git.acme.io/x.git', 'connection string'],
  ['src/a.ts', `const apiKey = '${RANDOM}';`, 'apiKey'],
  ['src/a.ts', `  clientSecret: "${HEX}",`, 'clientSecret'],
  ['src/a.py', `SECRET_KEY = '${RANDOM}+/x'`, 'SECRET_KEY'],
  ['src/a.go', `authToken := "${RANDOM}"`, 'authToken'],
  ['config/prod.yaml', `api_key: ${RANDOM}`, 'api_key'],
  ['deploy.sh', `export DB_PASSWORD=${RANDOM}`, 'DB_PASSWORD'],
  ['src/a.ts', "const password = 'kV7#mPz2!qLx';", 'password'],
  ['src/cache.ts', "connect('redis://:p4ssw0rdQ9@cache.acme.io:6379/0')", 'connection string'],
  ['config/prod.yml', 'url: rediss://:w8Zk2pQv@cache.acme.io:6379/0', 'connection string'],
  ['deploy.sh', 'export DB_PASSWORD=Zq8vN3tR6wXpL2', 'DB_PASSWORD'],
  ['bin/deploy', 'export DB_PASSWORD=Zq8vN3tR6wXpL2', 'DB_PASSWORD'],
  ['prod.env', 'DB_PASSWORD=Zq8vN3tR6wXpL2', 'DB_PASSWORD'],
  ['config/prod.yaml', '  password: Xk29vLq83zTpWm', 'password'],
  ['config/prod.yml', 'password: S3cr3tP@ssw0rd!2024', 'password'],
  ['compose.yml', '      - MYSQL_PASSWORD=Zq8vN3tR6wXpL2', 'MYSQL_PASSWORD'],
  ['config/app.ini', 'password = Zq8vN3tR6wXpL2', 'password'],
  ['config/app.cfg', 'password = Zq8vN3tR6wXpL2 ; for now', 'password'],
  ['config/app.conf', 'password=Zq8vN3tR6wXpL2 # for now', 'password'],
  ['src/main/resources/application.properties', 'spring.datasource.password=Zq8vN3tR6wXpL2', 'password'],
  ['config/app.toml', 'password = "Zq8vN3tR6wXpL2"', 'password'],
  ['src/a.java', `private static final String API_TOKEN = "${RANDOM}";`, 'API_TOKEN'],
  ['.env.production', `SESSION_SECRET=${HEX}`, 'SESSION_SECRET'],
  ['.env.production', `SECRET_KEY_BASE=${HEX}`, 'SECRET_KEY_BASE'],
];

/** Ordinary things that look a little like secrets. */
const ORDINARY: readonly (readonly [file: string, text: string])[] = [
  ['src/a.ts', 'const token = process.env.GITHUB_TOKEN;'],
  ['src/a.ts', "const token = process.env['API_TOKEN'] ?? '';"],
  ['src/a.py', 'api_key = os.environ["OPENAI_API_KEY"]'],
  ['src/a.go', 'token := os.Getenv("TOKEN")'],
  ['src/a.rb', 'Stripe.api_key = ENV.fetch("STRIPE_KEY")'],
  ['src/a.ts', "const token = 'changeme';"],
  ['.env.example', 'GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
  ['.env.example', 'API_KEY=your-api-key-goes-here'],
  ['README.md', 'export ANTHROPIC_API_KEY=sk-ant-...'],
  ['README.md', 'Set `GITHUB_TOKEN=<token>` first.'],
  ['docs/aws.md', 'aws_access_key_id = AKIAIOSFODNN7EXAMPLE'],
  ['docs/aws.md', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
  ['test/a.test.ts', "const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';"],
  ['test/a.test.ts', `const apiKey = '${RANDOM}';`],
  ['test/fixtures/keys.json', '{"token": "dummy-token-1234567890abcdef"}'],
  ['src/a.ts', "throw new Error('invalid access token, sign in again');"],
  ['src/i18n.ts', "  passwordReset: 'auth.password.reset.title',"],
  ['src/a.ts', "const TOKEN_KEY = 'my-app-access-token-v2';"],
  ['src/a.ts', "localStorage.setItem('accessToken', token);"],
  ['src/a.tsx', '<li key="item-8f3a2b1c9d4e5f60">x</li>'],
  ['src/a.ts', "const primaryKey = 'user_account_id_2024_v3';"],
  ['src/a.ts', `const publicKey = '${RANDOM}${RANDOM}';`],
  ['src/a.ts', `const sha256 = '${HEX}';`],
  ['package-lock.json', `"integrity": "sha512-${RANDOM}${RANDOM}=="`],
  ['src/a.ts', "const id = '9b2e4f6a-1c3d-4e5f-8a7b-0c1d2e3f4a5b';"],
  ['src/a.ts', "const sessionToken = '9b2e4f6a-1c3d-4e5f-8a7b-0c1d2e3f4a5b';"],
  ['compose.yaml', 'DATABASE_URL: postgres://postgres:postgres@db:5432/app'],
  ['compose.yaml', 'POSTGRES_PASSWORD: postgres'],
  ['src/db.ts', "const url = 'postgres://user:password@localhost:5432/app';"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of a file
  ['src/db.ts', 'const url = `postgres://${user}:${password}@${host}/app`;'],
  ['README.md', 'postgres://USER:PASSWORD@HOST:5432/DB'],
  ['docs/x.md', 'redis://default:secret@cache.example.com:6379'],
  ['src/a.ts', "if (text.includes('-----BEGIN PRIVATE KEY-----')) return true;"],
  ['docs/x.md', '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----'],
  ['src/key.ts', `const key = '-----BEGIN PRIVATE KEY-----\\n...\\n-----END PRIVATE KEY-----';`],
  ['deploy/key', `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----`],
  ['deploy/key', '-----BEGIN OPENSSH PRIVATE KEY-----\n<your key>\n-----END OPENSSH PRIVATE KEY-----'],
  ['docs/x.md', jwt({ sub: '1234567890', name: 'John Doe' })],
  ['src/a.ts', 'const GITHUB = /ghp_[A-Za-z0-9]{36}/;'],
  ['src/a.ts', "const prefix = 'sk_live_';"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a file
  ['config/app.yaml', 'password: ${DB_PASSWORD}'],
  ['config/app.yaml', 'secret_key: "{{ vault.secret_key }}"'],
  ['k8s/deploy.yaml', 'secretName: my-app-tls-2024'],
  ['src/a.tf', 'password = var.db_password'],
  ['src/a.ts', "const password = 'hunter2';"],
  ['docs/x.md', 'redis://:p4ssw0rd@cache.acme.io:6379/0'],
  ['compose.yaml', 'REDIS_URL: redis://:p4ssw0rdQ9@cache:6379/0'],
  ['src/a.ts', '  password: string;'],
  ['src/a.ts', '  password: validatePassword2,'],
  ['src/a.ts', '  password: Xk29vLq83zTpWm,'],
  ['src/a.py', 'password: str = getpass.getpass()'],
  ['openapi.yaml', 'password: string'],
  ['openapi.yaml', 'password: #/components/schemas/Password1'],
  ['config/app.yaml', 'password: process.env.DB_PASSWORD_2X'],
  ['.github/workflows/ci.yml', 'password: $' + '{{ secrets.REGISTRY_PASSWORD_2 }}'],
  ['config/app.yaml', 'password: <your-password-12>'],
  ['config/app.yaml', 'password: changeme'],
  ['config/app.yaml', 'password: changeme123ABC'],
  ['config/app.yaml', 'password: validatePassword'],
  ['config/app.yaml', 'password: validatePassword2'],
  ['config/app.yaml', 'password: lookup(Vault2Secret)'],
  ['config/app.yaml', 'password: generated at first start'],
  ['config/app.yaml', 'password: correct-horse-Battery9'],
  ['config/app.yaml', 'password: *default-Password1'],
  ['config/app.yaml', 'password: !vault Xk29vLq83zTpWm'],
  ['config/app.yaml', 'password: ENC[AES256_GCM,data:Xk29vLq83z]'],
  ['k8s/secret.yaml', 'password: cGFzc3dvcmQ='],
  ['k8s/secret.yaml', 'password: Y2hhbmdlbWUxMjM='],
  ['locales/de.yml', 'confirm_password: Bestätigungspasswort2'],
  ['locales/fr.yml', 'forgot_password: Mot-de-passe-oublié1'],
  ['config/app.ini', 'password = var.db_password_2'],
  ['config/app.ini', 'pwd = D:/Projects/App2/src'],
  ['deploy.sh', 'export DB_PASSWORD=$DB_PASSWORD_2X'],
  ['deploy.sh', 'export DB_PASSWORD=$(openssl rand -hex 12)'],
  ['deploy.sh', 'DB_PASSWORD="$1"'],
  ['deploy.sh', 'export DB_PASSWORD=/run/secrets/Db_Password_1'],
  ['config/app.properties', 'password=%DB_PASSWORD_2x%'],
  ['src/a.ts', "type: 'password', autocomplete: 'current-password'"],
  ['src/a.css', '.token-4f8a2b { color: #9f86d0; }'],
  ['src/a.ts', "const csrfToken = 'kV7mPz2qLx9fHsJ6gA1u';"],
  ['src/a.ts', "getToken: () => 'token:' + user.id,"],
  ['.env', `API_KEY=${RANDOM}`],
  ['docs/plans/x.md', 'Rotate the token; keep the password in the vault.'],
  ['src/mail.ts', "const from = 'mailto:bob@acme.io';"],
  ['src/a.ts', "fetch('https://api.acme.io:8443/v1/users@2x.png')"],
];

describe('no-secrets', () => {
  test('there are enough cases', () => {
    expect(OFFENDING.length).toBeGreaterThanOrEqual(40);
    expect(ORDINARY.length).toBeGreaterThanOrEqual(40);
  });

  test.each(OFFENDING)('%s: %s', async (file, text, kind) => {
    // The project's own .env files are where such things belong.
    const where = file === '.env.production' ? 'deploy/prod.env' : file;
    const { kind: said, text: reason } = await rig.heard(write(rig.path(where), `first\n${text}\n`));
    expect(said).toBe('hold');
    expect(reason).toContain(kind);
    expect(reason).toContain('line 2');
    expect(reason).not.toContain(RANDOM.slice(0, 12));
    expect(reason).not.toContain(HEX.slice(0, 12));
  });

  test.each(ORDINARY)('%s: %s', async (file, text) => {
    expect(await rig.heard(write(rig.path(file), `first\n${text}\n`))).toEqual({ kind: 'nothing', text: '' });
  });

  test('in every way to write', async () => {
    const held = async (document: Parameters<RuleRig['heard']>[0]) => (await rig.heard(document)).kind;
    const old = rig.path('src/old.ts');
    expect(await held(edit(old, 'const a = 1;', `const a = '${GITHUB}';`))).toBe('hold');
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: GITHUB },
    ];
    expect(await held(preTool('MultiEdit', { file_path: old, edits }))).toBe('hold');
    expect(await held(bash(`echo "TOKEN=${GITHUB}" >> src/a.ts`))).toBe('hold');
    expect(await held(bash(`cat > src/a.ts <<'EOF'\nconst t = '${GITHUB}';\nEOF`))).toBe('hold');
    expect(await held(bash(`tee src/a.ts <<< "const t = '${GITHUB}'"`))).toBe('hold');
    expect(await held(bash(`printf 'x: %s' ${GITHUB} | tee config.yaml`))).toBe('hold');
    expect(await held(bash(`sed -i 's/TOKEN/${GITHUB}/' src/old.ts`))).toBe('hold');
    expect(await held(preTool('mcp__fs__write_file', { path: old, content: GITHUB }))).toBe('hold');
  });

  test.each([
    ['.env*.local', '.env.local', 'nothing'],
    ['*.local', '.env.local', 'nothing'],
    ['private/', 'private/.env', 'nothing'],
    ['/.env', 'app/.env', 'hold'],
    ['.env\n!.env', '.env', 'hold'],
  ])('%s and a secret for %s: %s', async (ignored, file, kind) => {
    const before = readFileSync(rig.path('.gitignore'), 'utf8');
    rig.write('.gitignore', `${ignored}\n`);
    const heard = await rig.heard(write(rig.path(file), `API_KEY=${RANDOM}\n`));
    rig.write('.gitignore', before);
    expect(heard.kind).toBe(kind);
  });

  test('what does not write it, or takes it away, is free', async () => {
    const old = rig.path('src/old.ts');
    const line = `const t = '${GITHUB}';`;
    const free = [
      edit(old, line, 'const t = process.env.T;'),
      edit(old, line, `${line}\nconst u = 1;`),
      preTool('mcp__fs__edit_file', { path: old, edits: [{ oldText: GITHUB, newText: 'x' }] }),
      bash(`curl -H "Authorization: Bearer ${GITHUB}" https://api.acme.io > out.json`),
      bash(`grep -r ${GITHUB} src`),
      bash(`rm src/old.ts # ${GITHUB}`),
      bash(`echo "TOKEN=${GITHUB}" >> .env`),
    ];
    for (const document of free) expect(await rig.heard(document)).toEqual({ kind: 'nothing', text: '' });
  });
});
