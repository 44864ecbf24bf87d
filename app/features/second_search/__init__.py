"""Second search: the model says before it answers what the sources lack, and that is searched for, too."""
