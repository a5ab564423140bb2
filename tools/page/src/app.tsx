// The frame of all views: who we are, where we may go, whether it is live, and keys for every hand.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { ApiError, whenSignedOut } from './core/api.js';
import { pauseLive, startLive, useLive } from './core/live.js';
import { go, href, usePlace } from './core/router.js';
import { readSession, SessionContext, signOut, type Session } from './core/session.js';
import { nextTheme, setTheme, themeNow } from './core/theme.js';
import { t } from './strings.js';
import { Badge, ErrorBox } from './ui/parts.js';
import { Palette } from './ui/palette.js';
import { KeysHelp, useKeys } from './ui/keys.js';
import { Toasts } from './ui/toasts.js';
import { SignIn } from './views/signin.js';
import { views } from './views/views.js';

export function App(): JSX.Element {
  const [session, setSession] = useState<Session>();
  const [isSignedOut, setSignedOut] = useState(false);
  const [error, setError] = useState<ApiError>();
  const look = (): void => {
    setError(undefined);
    readSession().then(setSession, (problem: unknown) => {
      if (!(problem instanceof ApiError)) {
        throw problem;
      }
      if (problem.status === 401) {
        setSignedOut(true);
      } else {
        setError(problem);
      }
    });
  };
  useEffect(() => {
    whenSignedOut(() => setSignedOut(true));
    look();
  }, []);
  if (isSignedOut) {
    return (
      <SignIn
        hasEnded={session !== undefined}
        onSession={(found) => {
          setSession(found);
          setSignedOut(false);
        }}
      />
    );
  }
  if (!session) {
    return <main class="sign-in">{error ? <ErrorBox error={error} onRetry={look} /> : <p role="status">{t.loading}</p>}</main>;
  }
  return (
    <SessionContext.Provider value={session}>
      <Frame session={session} />
    </SessionContext.Provider>
  );
}

function Frame(props: { session: Session }): JSX.Element {
  const place = usePlace();
  const word = place.path[0] ?? '';
  const entry = views.find((each) => each.word === word);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [overlay, setOverlay] = useState<'palette' | 'keys'>();
  useKeys({ onPalette: () => setOverlay('palette'), onHelp: () => setOverlay('keys') });
  useEffect(startLive, []);
  useLayoutEffect(() => setMenuOpen(false), [place]);
  const Shown = entry?.view;
  return (
    <div class={`frame ${isMenuOpen ? 'menu-open' : ''}`}>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        {t.skip}
      </a>
      <TopBar session={props.session} onMenu={() => setMenuOpen(!isMenuOpen)} isMenuOpen={isMenuOpen} onPalette={() => setOverlay('palette')} />
      <nav class="menu" id="menu" aria-label={t.views}>
        {views
          .filter((each) => !each.isHidden)
          .map((each) => (
            <a key={each.word} href={href([each.word].filter(Boolean))} aria-current={each === entry || (word === 'job' && each.word === 'jobs') ? 'page' : undefined}>
              {each.title}
            </a>
          ))}
      </nav>
      <main id="content" tabIndex={-1}>
        {Shown ? <Shown place={place} key={word} /> : <p class="empty">{t.notFound}</p>}
      </main>
      {overlay === 'palette' && <Palette onClose={() => setOverlay(undefined)} />}
      {overlay === 'keys' && <KeysHelp onClose={() => setOverlay(undefined)} />}
      <Toasts />
    </div>
  );
}

/** Which one this is; with several, a way to the page of another. */
function Engines(props: { session: Session }): JSX.Element {
  const { engine, engines } = props.session;
  if (engines.length < 2) {
    return <Badge>{engine}</Badge>;
  }
  return (
    <select
      class="engines"
      aria-label={t.engine}
      value={engine}
      onChange={(event) => {
        const chosen = engines.find((each) => each.name === event.currentTarget.value);
        if (chosen) {
          location.assign(`${location.protocol}//${location.hostname}:${chosen.port}/${location.hash}`);
        }
      }}
    >
      {engines.map((each) => (
        <option key={each.name} value={each.name}>
          {each.name}
        </option>
      ))}
    </select>
  );
}

function TopBar(props: { session: Session; isMenuOpen: boolean; onMenu: () => void; onPalette: () => void }): JSX.Element {
  const live = useLive();
  const [theme, change] = useState(themeNow);
  return (
    <header class="top">
      <button class="menu-button" aria-controls="menu" aria-expanded={props.isMenuOpen} onClick={props.onMenu}>
        ☰<span class="unseen"> {t.menu}</span>
      </button>
      <a class="brand" href={href([])}>
        {t.product}
      </a>
      <Engines session={props.session} />
      <span class="grow" />
      <button class="quiet-button" onClick={props.onPalette} title={t.goToKey}>
        {t.goTo}… <kbd>{t.goToKey}</kbd>
      </button>
      <button
        class={`live ${live.state}`}
        aria-pressed={live.state === 'paused'}
        title={live.state === 'paused' ? t.goOn : t.pause}
        onClick={() => pauseLive(live.state !== 'paused')}
      >
        <span class="dot" aria-hidden="true" />
        <span role="status">{t.live[live.state]}</span>
      </button>
      <button
        class="quiet-button"
        title={t.theme[theme]}
        aria-label={t.theme[theme]}
        onClick={() => {
          const next = nextTheme(theme);
          setTheme(next);
          change(next);
        }}
      >
        {theme === 'dark' ? '☾' : theme === 'light' ? '☀' : '◐'}
      </button>
      <span class="who" title={t.role(props.session.role)}>
        {props.session.caller}
      </span>
      {props.session.isByCookie && (
        <button
          class="quiet-button"
          onClick={() =>
            void signOut().then(() => {
              go('');
              location.reload();
            })
          }
        >
          {t.signIn.out}
        </button>
      )}
    </header>
  );
}
