"""Real widgets from npm packages, used as a person would."""
