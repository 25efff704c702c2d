import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api';
import { enter, ThemeSwitch } from '../app';
import { Problem, useAct } from '../parts/bits';
import { Logo } from '../parts/icon';
import { canUsePasskeys, signInByPasskey } from '../passkeys';

/** The frame of the pages before sign-in. */
export function Door({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main class="door" id="main">
      <div class="door-box">
        <div class="brand">
          <Logo />
          <span>Holdpoint</span>
          <ThemeSwitch />
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

export function SignIn() {
  const { error, busy, act } = useAct();
  const [name, setName] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    void act(async () => {
      await api.login(name.trim(), passphrase);
      await enter();
    });
  };
  return (
    <Door title="Sign in">
      <form onSubmit={submit}>
        <label for="name">Name</label>
        <input
          id="name"
          name="username"
          autocomplete="username webauthn"
          required
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <label for="passphrase">Passphrase</label>
        <input
          id="passphrase"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          value={passphrase}
          onInput={(event) => setPassphrase(event.currentTarget.value)}
        />
        <Problem text={error} />
        <button type="submit" class="primary" disabled={busy}>
          Sign in
        </button>
      </form>
      {canUsePasskeys && (
        <>
          <p class="or">or</p>
          <button
            type="button"
            disabled={busy}
            onClick={() =>
              act(async () => {
                await signInByPasskey();
                await enter();
              })
            }
          >
            Sign in with a passkey
          </button>
        </>
      )}
      <p class="hint">
        No account? Ask an admin of this hub for an invite. On the hub’s own machine,{' '}
        <code>holdpoint hub user add NAME</code> adds one.
      </p>
    </Door>
  );
}
