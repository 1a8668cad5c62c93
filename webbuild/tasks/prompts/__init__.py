"""Example and test prompts: texts and clicks."""
