import { useState } from 'preact/hooks';
import { api } from '../api';
import { enter } from '../app';
import { Problem, useAct } from '../parts/bits';
import { canUsePasskeys, registerPasskey } from '../passkeys';
import { Door } from './sign-in';

/** Creates an account from a one-time link. */
export function Setup({ code }: { code: string }) {
  const { error, busy, act, setError } = useAct();
  const [name, setName] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [way, setWay] = useState<'passkey' | 'passphrase'>(canUsePasskeys ? 'passkey' : 'passphrase');
  const submit = (event: Event) => {
    event.preventDefault();
    if (way === 'passphrase' && passphrase !== again) {
      setError('The two passphrases differ. Type the same one twice.');
      return;
    }
    void act(async () => {
      if (way === 'passkey') await registerPasskey({ code, name: name.trim() });
      else await api.setup(code, name.trim(), passphrase);
      await enter();
    });
  };
  return (
    <Door title="Set up your account">
      <p>This link works once. It makes an account on this hub, and signs you in.</p>
      <form onSubmit={submit}>
        <label for="name">Your name</label>
        <input
          id="name"
          name="username"
          autocomplete="username"
          required
          maxLength={64}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <fieldset>
          <legend>Sign in with</legend>
          <label class="check">
            <input
              type="radio"
              name="way"
              checked={way === 'passkey'}
              disabled={!canUsePasskeys}
              onChange={() => setWay('passkey')}
            />
            A passkey {canUsePasskeys ? '(recommended)' : '(needs HTTPS or localhost)'}
          </label>
          <label class="check">
            <input
              type="radio"
              name="way"
              checked={way === 'passphrase'}
              onChange={() => setWay('passphrase')}
            />
            A passphrase
          </label>
        </fieldset>
        {way === 'passphrase' && (
          <>
            <label for="passphrase">Passphrase</label>
            <input
              id="passphrase"
              name="password"
              type="password"
              autocomplete="new-password"
              required
              minLength={8}
              value={passphrase}
              onInput={(event) => setPassphrase(event.currentTarget.value)}
            />
            <p class="hint">At least eight characters. Several words are better than one.</p>
            <label for="again">Passphrase again</label>
            <input
              id="again"
              type="password"
              autocomplete="new-password"
              required
              value={again}
              onInput={(event) => setAgain(event.currentTarget.value)}
            />
          </>
        )}
        <Problem text={error} />
        <button type="submit" class="primary" disabled={busy}>
          {way === 'passkey' ? 'Create a passkey' : 'Create the account'}
        </button>
      </form>
    </Door>
  );
}
