import { render } from 'preact';
import { App } from './app.js';
import { startThemes } from './core/theme.js';
import './style.css';

startThemes();
const root = document.getElementById('page');
if (root) {
  render(<App />, root);
}
