"""What an inspection predicts against what was measured."""
