"""The instructions of IFEval, each as a rule that can be checked."""
