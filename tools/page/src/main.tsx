import { render } from 'preact';
import { App } from './app.js';
import { setTheme, themeNow } from './core/theme.js';
import './style.css';

setTheme(themeNow());
const root = document.getElementById('page');
if (root) {
  render(<App />, root);
}
