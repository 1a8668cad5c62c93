from webbuild.manifest import *  # temporary
