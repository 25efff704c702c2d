import { expect, it } from 'vitest';
import { describeInBrowser, realProblems, signIn } from './browser.js';
import { PERSON } from './fake-server.js';

const card = 'article.card';

describeInBrowser('answers on the page', (rig) => {
  it('signs in by passphrase, and says what was wrong with a wrong one', async () => {
    const { page } = await rig.open();
    await page.getByLabel('Name').fill(PERSON.name);
    await page.getByLabel('Passphrase').fill('not this one');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toContain('did not match');
    await signIn(page);
    await page.getByRole('heading', { name: 'Waiting for you' }).waitFor();
  });

  it('makes an account from a one-time link', async () => {
    const { page, hub } = await rig.open();
    await page.goto(`${hub.url}/#setup=hpi_fake`);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('A passphrase').check();
    await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Passphrase again').fill('another');
    await page.getByRole('button', { name: 'Create the account' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('differ');
    await page.getByLabel('Passphrase again').fill('correct horse battery');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('heading', { name: 'Waiting for you' }).waitFor();
    expect(page.url()).not.toContain('hpi_fake');
  });

  it('approves after a confirmation that names the rule, the session and the scope', async () => {
    const { page, hub, problems } = await rig.openView('waiting');
    expect(await page.locator(card).count()).toBe(3);
    expect(await page.title()).toBe('(3) Holdpoint');
    await page
      .locator(card)
      .first()
      .getByRole('button', { name: /Approve/ })
      .click();
    const dialog = page.getByRole('dialog', { name: /Approve commit_plan for session 9f3ac2d1/ });
    expect(await dialog.textContent()).toContain('for this session');
    expect(hub.answers).toEqual([]);
    await dialog.getByRole('button', { name: /Approve/ }).click();
    await expect.poll(() => page.locator(card).count()).toBe(2);
    expect(hub.answers).toEqual([{ id: 'req-0', answer: 'approve' }]);
    expect(await page.title()).toBe('(2) Holdpoint');
    expect(realProblems(problems)).toEqual([]);
  });

  it('takes the second click of a double click for no confirmation', async () => {
    const { page, hub } = await rig.openView('waiting');
    await page
      .locator(card)
      .first()
      .getByRole('button', { name: /Approve/ })
      .click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: /Approve/ });
    await confirm.dispatchEvent('click', { detail: 2 });
    await page.waitForTimeout(300);
    expect(hub.answers).toEqual([]);
    await confirm.click();
    await expect.poll(() => hub.answers.length).toBe(1);
  });

  it('rejects with a note', async () => {
    const { page, hub } = await rig.openView('waiting');
    await page
      .locator(card)
      .nth(1)
      .getByRole('button', { name: /Reject/ })
      .click();
    await page.getByLabel('Note for the agent').fill('Write the ADR first, a and r included.');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Reject/ })
      .click();
    await expect.poll(() => page.locator(card).count()).toBe(2);
    expect(hub.answers).toEqual([
      { id: 'req-1', answer: 'reject', note: 'Write the ADR first, a and r included.' },
    ]);
  });

  it('works by keyboard alone', async () => {
    const { page, hub } = await rig.open();
    await page.keyboard.press('Tab');
    await page.getByLabel('Name').focus();
    await page.keyboard.type(PERSON.name);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PERSON.passphrase);
    await page.keyboard.press('Enter');
    await page.locator(card).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await page.getByRole('dialog', { name: /Approve adr_reviewed/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(hub.answers).toEqual([]);
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await expect.poll(() => hub.answers).toEqual([{ id: 'req-1', answer: 'approve' }]);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('r');
    await page.keyboard.type('no');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => hub.answers.at(-1)).toEqual({ id: 'req-0', answer: 'reject', note: 'no' });
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    for (const [key, heading] of [
      ['2', 'Sessions'],
      ['3', 'Decisions'],
      ['4', 'Rules'],
      ['5', 'Gates'],
      ['1', 'Waiting for you'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('3');
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
  });

  it('takes no key of a text field for an answer or a view', async () => {
    const { page, hub } = await rig.openView('decisions');
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('ar12 j?');
    expect(await page.getByLabel('Filter by text').inputValue()).toBe('ar12 j?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(page.url()).toContain('#decisions');
    expect(hub.answers).toEqual([]);
  });

  it('reaches every control of a card by Tab', async () => {
    const { page } = await rig.openView('waiting', { waiting: 1 });
    await page.locator(card).waitFor();
    const seen = new Set<string>();
    for (let n = 0; n < 20; n++) {
      await page.keyboard.press('Tab');
      seen.add(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''));
    }
    for (const name of [/^Approve/, /^Reject/, /^Show all/, /^Notify me/, /^Sessions/])
      expect(
        [...seen].some((text) => name.test(text)),
        String(name),
      ).toBe(true);
  });

  it('shows at once what starts to wait, and takes away what was answered elsewhere', async () => {
    const { page, hub } = await rig.openView('waiting', { waiting: 1 });
    await page.locator(card).waitFor();
    const begun = performance.now();
    hub.openRequest(4);
    await page.getByRole('heading', { name: 'migration_approved' }).waitFor();
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(await page.locator('[aria-live="polite"]').textContent()).toContain(
      'migration_approved waits for you',
    );
    await page
      .locator(card)
      .nth(1)
      .getByRole('button', { name: /Approve/ })
      .click();
    hub.closeRequest('req-4', 'Grace');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.getByText('Grace has approved migration_approved.').waitFor();
    expect(await page.locator(card).count()).toBe(1);
  });

  it('says that the connection is lost, and reads the lists again when it is back', async () => {
    const { page, hub } = await rig.openView('waiting', { waiting: 1 });
    await page.locator(card).waitFor();
    hub.dropStreams(true);
    await page.getByText('Reconnecting').waitFor();
    hub.openRequest(2, false);
    hub.comeBack();
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => page.locator(card).count()).toBe(2);
  });

  it('shows what started to wait after the lists were read and before the stream was open', async () => {
    const { page, hub } = await rig.open();
    await page.route('**/api/v1/stream', async (route) => {
      await page.locator(card).nth(2).waitFor();
      hub.openRequest(7);
      await route.continue();
    });
    await signIn(page);
    await page.locator(card).nth(3).waitFor({ timeout: 5000 });
  });

  it('gives a viewer nothing to answer with', async () => {
    const { page } = await rig.openView('waiting', { role: 'viewer' });
    await page.locator(card).first().waitFor();
    expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);
    await page.keyboard.press('a');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('marks a false alarm', async () => {
    const { page, hub } = await rig.openView('decisions');
    await page.getByLabel('Held only').check();
    await page.locator('.row', { hasText: 'Held' }).first().click();
    await page.getByRole('button', { name: 'Mark as a false alarm' }).click();
    await page.getByRole('button', { name: 'Marked as a false alarm' }).waitFor();
    expect(hub.marks).toEqual([{ id: expect.any(String), mark: 'false-alarm' }]);
  });

  it('shows a decision, whatever its machine sent', async () => {
    const { page, problems } = await rig.openView('decisions');
    const odd = { toString: 1 };
    const verdicts = [
      null,
      { guard: odd, verdict: 5, grounds: 'x' },
      { grounds: [null, { fact: 'no plan', rule: odd }] },
    ];
    await page.route('**/api/v1/decisions/*/*', async (route) => {
      const known = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...known, verdicts, changes: odd, by: odd, ms: 'x' } });
    });
    await page.locator('.row', { hasText: 'Held' }).first().click();
    await page.locator('.verdict', { hasText: 'no plan' }).waitFor();
    await page.getByText('Raw JSON').waitFor();
    expect(realProblems(problems)).toEqual([]);
  });

  it('shows an answer as a change, not as a call that passed', async () => {
    const { page, hub } = await rig.openView('decisions');
    hub.addDecision({ host: 'hub', event: 'reject', tool: 'plan', kind: 'nothing', held: false, rules: [] });
    await page.getByLabel('Filter by text').fill('changed reject');
    await page.locator('.row', { hasText: 'Changed' }).click();
    await page.getByRole('heading', { name: 'Changed reject plan' }).waitFor();
  });

  it('notifies only when asked to, and only while nobody looks', async () => {
    const { page, hub } = await rig.open({ waiting: 0 });
    await page.addInitScript(() => {
      const shown: string[] = [];
      class Fake {
        static permission = 'default';
        static async requestPermission() {
          Fake.permission = 'granted';
          return Fake.permission;
        }
        constructor(title: string, { body }: { body: string }) {
          shown.push(`${title}: ${body}`);
        }
      }
      Object.assign(globalThis, { Notification: Fake, shown });
    });
    await page.reload();
    await signIn(page);
    const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    await page.evaluate(() => Object.assign(document, { hasFocus: () => false }));
    hub.openRequest(0);
    await page.locator(card).waitFor();
    expect(await shown()).toEqual([]);
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByRole('button', { name: 'Notifications are on' }).waitFor();
    hub.openRequest(1);
    await expect
      .poll(shown)
      .toEqual(['adr_reviewed waits for you: acme/payments-service, branch fix/refund-rounding']);
    await page.evaluate(() => Object.assign(document, { hasFocus: () => true }));
    hub.openRequest(2);
    await expect.poll(() => page.locator(card).count()).toBe(3);
    expect(await shown()).toHaveLength(1);
  });

  it('shows the sign-in when the sign-in has ended, and nothing of before', async () => {
    const { page, hub } = await rig.openView('decisions');
    await page.locator('.row').first().waitFor();
    await page.context().clearCookies();
    hub.dropStreams();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.locator('.row').count()).toBe(0);
    await signIn(page);
    await page.locator('.row').first().waitFor();
  });

  it('reads runs further back, each once, and keeps its place when the connection comes back', async () => {
    const { page, hub } = await rig.openView('gates');
    const further = page.getByRole('button', { name: 'Read further back' });
    await further.click();
    await expect.poll(() => page.locator('.runs > li').count()).toBe(60);
    expect(await further.count()).toBe(0);
    const again = page.waitForResponse((answer) => answer.url().includes('/runs'));
    hub.dropStreams();
    await again;
    await page.waitForTimeout(200);
    expect(await page.locator('.runs > li').count()).toBe(60);
    expect(await further.count()).toBe(0);
  });

  it('searches text in what was read, and further back only when told to', async () => {
    const { page } = await rig.openView('decisions', { decisions: 3000 });
    await page.locator('.row').first().waitFor();
    const figures = page.locator('.view-head .figures');
    await page.getByLabel('Filter by text').fill('denied-by-nobody');
    await page.getByRole('heading', { name: 'No decision matches' }).waitFor();
    await page.getByLabel('Filter by text').fill('webshop write deny');
    await page.getByRole('button', { name: 'Search further back' }).waitFor();
    const before = Number.parseInt((await figures.textContent()) ?? '', 10);
    await page.waitForTimeout(500);
    expect(Number.parseInt((await figures.textContent()) ?? '', 10)).toBe(before);
    await page.getByRole('button', { name: 'Search further back' }).click();
    await expect
      .poll(async () => Number.parseInt((await figures.textContent()) ?? '', 10))
      .toBeGreaterThan(before);
  });
});
