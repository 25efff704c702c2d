// node talk-to-server.mjs PROGRAM PROMPT: starts OpenCode's server, prompts a session, and waits for its loop to end.
import { execFileSync, spawn } from 'node:child_process';

const [program, prompt] = process.argv.slice(2);
const server = spawn(program, ['serve', '--hostname', '127.0.0.1', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const base = await new Promise((resolve) => {
  let said = '';
  server.stdout.on('data', (data) => {
    said += data;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    if (url !== undefined) resolve(url);
  });
});

async function ask(method, path, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${base}${path}`, { method, headers, body: body && JSON.stringify(body) });
  return response.json();
}

function hasEnded() {
  return execFileSync('holdpoint', ['loop', 'log', '--json'], { encoding: 'utf8' }).includes(
    '"event":"DONE"',
  );
}

const { id } = await ask('POST', '/session', {});
await ask('POST', `/session/${id}/message`, { parts: [{ type: 'text', text: prompt }] });
while (!hasEnded()) await new Promise((resolve) => setTimeout(resolve, 200));
server.kill('SIGKILL');
