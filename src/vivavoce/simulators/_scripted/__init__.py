"""How the scripted user reads a goal, hears an answer and speaks."""
