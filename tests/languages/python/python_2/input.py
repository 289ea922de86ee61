import urllib2, md5 as digest
from .legacy import *

def fetch(url, timeout=30):
	"""Fetch a page, the old way."""
	try:
	    return urllib2.urlopen(url)
        except IOError, error:
		print "failed:", error

class Page(object, Readable):
    'One page.'

    @cached
    def title(self, (left, right), default=u"none"):
        raise ValueError, `left`
