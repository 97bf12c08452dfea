"""What makes files of the project, and what tests its tests."""
